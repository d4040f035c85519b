/* The family table. Which norms, biases and heads a family has is from its
 * published description and modelling code; docs/families.md says how to add one. */
#include "model/families.h"

#include <string.h>

#include "model/family.h"

#define RMS WG_NORM_RMS
#define LAYER WG_NORM_LAYER
#define NO_BIAS WG_NORM_LAYER_NO_BIAS

static const struct wg_family families[] = {
	/* --- dense decoders with gated feed-forward --- */
	{ "llama",
	  "LlamaForCausalLM llama LLaMAForCausalLM MistralForCausalLM mistral "
	  "YiForCausalLM Yi InternLMForCausalLM internlm InternLM2ForCausalLM internlm2 "
	  "InternLM3ForCausalLM internlm3 AquilaForCausalLM aquila AquilaModel "
	  "PanguEmbeddedForCausalLM PanguEmbedded BaiChuanForCausalLM BaichuanForCausalLM "
	  "baichuan XverseForCausalLM xverse MiniCPMForCausalLM minicpm ExaoneForCausalLM "
	  "exaone Ernie4_5ForCausalLM ernie4_5 GraniteForCausalLM granite "
	  "Ministral3ForCausalLM ministral ministral3 HeliumForCausalLM helium "
	  "SolarForCausalLM solar llama_text_model LlavaLlamaForCausalLM llava_llama "
	  "LlavaMistralForCausalLM LlamaModel MistralModel",
	  RMS, 2, WG_ALL_BIAS_KEY, wg_family_llama },
	{ "smollm3", "SmolLM3ForCausalLM smollm3", RMS, 2, WG_TIED | WG_WINDOW_SWITCH },
	{ "qwen", "QWenLMHeadModel qwen", RMS, 2, WG_QKV_BIAS | WG_BIAS_QKV_ONLY, wg_family_qwen },
	{ "qwen2",
	  "Qwen2ForCausalLM qwen2 Qwen2Model Qwen2VLForConditionalGeneration qwen2_vl "
	  "qwen2_vl_text Qwen2_5_VLForConditionalGeneration qwen2_5_vl qwen2_5_vl_text "
	  "MiMoForCausalLM mimo DreamModel Dream",
	  RMS, 2, WG_QKV_BIAS | WG_BIAS_QKV_ONLY | WG_WINDOW_SWITCH },
	{ "qwen2-moe", "Qwen2MoeForCausalLM qwen2_moe", RMS, 2,
	  WG_QKV_BIAS | WG_BIAS_QKV_ONLY | WG_WINDOW_SWITCH | WG_SHARED_GATE },
	{ "qwen3",
	  "Qwen3ForCausalLM qwen3 Qwen3Model qwen3_vl_text Qwen3VLForConditionalGeneration "
	  "qwen3_vl LogicsForConditionalGeneration logics HunYuanDenseV1ForCausalLM "
	  "hunyuan_v1_dense",
	  RMS, 2, WG_QK_NORM_HEADS | WG_WINDOW_SWITCH },
	{ "qwen3-moe",
	  "Qwen3MoeForCausalLM qwen3_moe qwen3_vl_moe_text qwen3_vl_moe "
	  "Qwen3VLMoeForConditionalGeneration",
	  RMS, 2, WG_QK_NORM_HEADS | WG_WINDOW_SWITCH },
	{ "gemma", "GemmaForCausalLM gemma", RMS, 2, WG_TIED },
	{ "gemma2", "Gemma2ForCausalLM gemma2", RMS, 4, WG_TIED, wg_family_gemma2 },
	{ "gemma3", "Gemma3ForCausalLM gemma3_text Gemma3ForConditionalGeneration gemma3", RMS, 4,
	  WG_TIED | WG_QK_NORM_HEADS, wg_family_gemma3 },
	{ "phi3", "Phi3ForCausalLM phi3", RMS, 2, 0 },
	{ "exaone4", "Exaone4ForCausalLM exaone4", RMS, 2, WG_QK_NORM_HEADS },
	{ "chatglm", "ChatGLMForConditionalGeneration ChatGLMModel chatglm", RMS, 2,
	  WG_QKV_BIAS | WG_BIAS_QKV_ONLY, wg_family_chatglm },
	{ "glm", "GlmForCausalLM glm", RMS, 2, WG_QKV_BIAS | WG_BIAS_QKV_ONLY },
	{ "glm4", "Glm4ForCausalLM glm4", RMS, 4, WG_BIAS_QKV_ONLY },
	{ "olmo", "OlmoForCausalLM olmo", WG_NORM_PLAIN, 2, 0 },
	{ "olmo2", "Olmo2ForCausalLM olmo2 Olmo3ForCausalLM olmo3", RMS, 2, WG_QK_NORM_WIDE },
	{ "seed-oss", "SeedOssForCausalLM seed_oss", RMS, 2, WG_BIAS_QKV_ONLY },
	{ "orion", "OrionForCausalLM orion", LAYER, 2, 0 },
	{ "stablelm", "StableLmForCausalLM stablelm StableLMEpochForCausalLM stablelm_epoch", LAYER,
	  2, WG_BIAS_QKV_ONLY | WG_PARALLEL_ONE_NORM, wg_family_stablelm },
	{ "cohere", "CohereForCausalLM cohere", NO_BIAS, 1, WG_TIED, wg_family_cohere },
	{ "cohere2", "Cohere2ForCausalLM cohere2", NO_BIAS, 1, WG_TIED, wg_family_cohere2 },

	/* --- dense decoders with plain feed-forward --- */
	{ "phi", "PhiForCausalLM phi phi-msft MixFormerSequentialForCausalLM", LAYER, 1,
	  WG_QKV_BIAS | WG_OUT_BIAS | WG_FFN_BIAS | WG_HEAD_BIAS | WG_PLAIN_FFN },
	{ "falcon", "FalconForCausalLM falcon RWForCausalLM RefinedWeb RefinedWebModel", LAYER, 1,
	  WG_TIED | WG_PLAIN_FFN | WG_ALL_BIAS_KEY, wg_family_falcon },
	{ "bloom", "BloomForCausalLM bloom BloomModel", LAYER, 2,
	  WG_TIED | WG_PLAIN_FFN | WG_QKV_BIAS | WG_OUT_BIAS | WG_FFN_BIAS | WG_EMBEDDING_NORM },
	{ "opt", "OPTForCausalLM opt OPTModel", LAYER, 2,
	  WG_TIED | WG_PLAIN_FFN | WG_QKV_BIAS | WG_OUT_BIAS | WG_FFN_BIAS | WG_LEARNED_POSITIONS |
	          WG_ALL_BIAS_KEY,
	  wg_family_opt },
	{ "gpt2", "GPT2LMHeadModel gpt2 GPT2Model GPTBigCodeForCausalLM gpt_bigcode", LAYER, 2,
	  WG_TIED | WG_PLAIN_FFN | WG_QKV_BIAS | WG_OUT_BIAS | WG_FFN_BIAS | WG_LEARNED_POSITIONS,
	  wg_family_gpt2 },
	{ "gptj", "GPTJForCausalLM gptj", LAYER, 1, WG_PLAIN_FFN | WG_FFN_BIAS | WG_HEAD_BIAS },
	{ "gpt-neo", "GPTNeoForCausalLM gpt_neo", LAYER, 2,
	  WG_TIED | WG_PLAIN_FFN | WG_OUT_BIAS | WG_FFN_BIAS | WG_LEARNED_POSITIONS,
	  wg_family_gpt_neo },
	{ "gpt-neox", "GPTNeoXForCausalLM gpt_neox", LAYER, 2,
	  WG_PLAIN_FFN | WG_QKV_BIAS | WG_OUT_BIAS | WG_FFN_BIAS },
	{ "mpt", "MPTForCausalLM MptForCausalLM mpt", NO_BIAS, 2, WG_TIED | WG_PLAIN_FFN,
	  wg_family_mpt },
	{ "starcoder2", "Starcoder2ForCausalLM starcoder2", LAYER, 2,
	  WG_TIED | WG_PLAIN_FFN | WG_QKV_BIAS | WG_OUT_BIAS | WG_FFN_BIAS | WG_ALL_BIAS_KEY },
	{ "nemotron", "NemotronForCausalLM nemotron", LAYER, 2, WG_PLAIN_FFN },
	{ "arcee", "ArceeForCausalLM arcee", RMS, 2, WG_PLAIN_FFN },

	/* --- mixture of experts --- */
	{ "mixtral",
	  "MixtralForCausalLM mixtral GraniteMoeForCausalLM granitemoe "
	  "GraniteMoeSharedForCausalLM granitemoeshared",
	  RMS, 2, 0 },
	{ "phimoe", "PhiMoEForCausalLM PhimoeForCausalLM phimoe", LAYER, 2, WG_HEAD_BIAS },
	{ "dbrx", "DbrxForCausalLM dbrx", NO_BIAS, 2, 0 },
	{ "glm4-moe", "Glm4MoeForCausalLM glm4_moe Glm4vMoeForConditionalGeneration glm4v_moe_text",
	  RMS, 2, WG_BIAS_QKV_ONLY | WG_ROUTER_BIAS | WG_QK_NORM_HEADS, wg_family_glm4_moe },
	{ "deepseek-v2", "DeepseekV2ForCausalLM deepseek_v2 MiniCPM3ForCausalLM minicpm3", RMS, 2,
	  0 },
	{ "deepseek-v3",
	  "DeepseekV3ForCausalLM deepseek_v3 kimi_k2 kimi_k25 DeepseekV32ForCausalLM "
	  "deepseek_v32 GlmMoeDsaForCausalLM glm_moe_dsa "
	  "KimiK25ForConditionalGeneration KimiK2ForCausalLM "
	  "Glm4MoeLiteForCausalLM glm4_moe_lite",
	  RMS, 2, WG_ROUTER_BIAS },
	{ "minimax-m2", "MiniMaxM2ForCausalLM minimax_m2 MiniMaxM2", RMS, 2,
	  WG_ROUTER_BIAS | WG_QK_NORM_WIDE, wg_family_minimax_m2 },
	{ "gpt-oss", "GptOssForCausalLM gpt_oss", RMS, 2,
	  WG_QKV_BIAS | WG_OUT_BIAS | WG_ROUTER_BIAS | WG_EXPERT_BIAS, wg_family_gpt_oss },
	{ "llama4", "Llama4ForCausalLM llama4_text Llama4ForConditionalGeneration llama4", RMS, 2,
	  0, wg_family_llama4 },
	{ "olmoe", "OlmoeForCausalLM olmoe", RMS, 2, WG_QK_NORM_WIDE },

	/* --- hybrids: layers of several kinds --- */
	{ "qwen3-next",
	  "Qwen3NextForCausalLM qwen3_next Qwen3_5MoeForConditionalGeneration "
	  "qwen3_5_moe_text qwen3_5_moe Qwen3_5ForConditionalGeneration qwen3_5_text "
	  "qwen3_5 Qwen3_5ForCausalLM Qwen3_5MoeForCausalLM",
	  RMS, 2, WG_QK_NORM_HEADS | WG_SHARED_GATE | WG_NO_WINDOW, wg_family_qwen3_next,
	  wg_layer_qwen3_next },
	{ "kimi-linear", "KimiLinearForCausalLM kimi_linear KimiK3ForConditionalGeneration kimi_k3",
	  RMS, 2, WG_ROUTER_BIAS, wg_family_kimi_linear, wg_layer_kimi_linear },
	{ "lfm2", "Lfm2ForCausalLM lfm2 Lfm2MoeForCausalLM lfm2_moe Lfm2VlForConditionalGeneration",
	  RMS, 2, WG_TIED | WG_QK_NORM_HEADS | WG_ROUTER_BIAS, wg_family_lfm2, wg_layer_lfm2 },
	{ "jamba", "JambaForCausalLM jamba", RMS, 2, 0, wg_family_jamba, wg_layer_jamba },
	{ "granite-hybrid", "GraniteMoeHybridForCausalLM granitemoehybrid BambaForCausalLM bamba",
	  RMS, 2, 0, wg_family_granite_hybrid, wg_layer_granite_hybrid },
	{ "nemotron-h", "NemotronHForCausalLM nemotron_h", RMS, 1, WG_PLAIN_FFN | WG_ROUTER_BIAS,
	  wg_family_nemotron_h, wg_layer_nemotron_h },

	/* --- attention of several shapes --- */
	{ "gemma4", "Gemma4ForConditionalGeneration gemma4_text gemma4 Gemma4ForCausalLM", RMS, 4,
	  WG_TIED | WG_QK_NORM_HEADS, wg_family_gemma4, wg_layer_gemma4 },
	{ "mllama", "MllamaForConditionalGeneration mllama_text_model mllama MllamaForCausalLM",
	  RMS, 2, 0, wg_family_mllama, wg_layer_mllama },
	{ "deepseek-v4", "DeepseekV4ForCausalLM deepseek_v4", RMS, 2, WG_ROUTER_BIAS,
	  wg_family_deepseek_v4, wg_layer_deepseek_v4 },
	{ "mimo-v2", "MiMoV2FlashForCausalLM mimo_v2_flash MiMoV2ForCausalLM mimo_v2", RMS, 2,
	  WG_ROUTER_BIAS, wg_family_mimo_v2, wg_layer_mimo_v2 },
	{ "nemotron-nas", "DeciLMForCausalLM deci nemotron-nas", RMS, 2, 0, wg_family_nemotron_nas,
	  wg_layer_nemotron_nas },

	/* --- no attention --- */
	{ "mamba", "MambaForCausalLM mamba FalconMambaForCausalLM falcon_mamba", RMS, 1, WG_TIED,
	  NULL, NULL, wg_build_mamba_model },
	{ "mamba2", "Mamba2ForCausalLM mamba2", RMS, 1, 0, NULL, NULL, wg_build_mamba2_model },
	{ "rwkv7", "Rwkv7ForCausalLM RWKV7ForCausalLM rwkv7", LAYER, 2, 0, NULL, NULL,
	  wg_build_rwkv7_model },

	/* --- encoders --- */
	{ "bert",
	  "BertModel bert BertForMaskedLM BertForSequenceClassification "
	  "BertForQuestionAnswering BertForPreTraining BertForTokenClassification RobertaModel "
	  "roberta RobertaForMaskedLM RobertaForSequenceClassification XLMRobertaModel "
	  "xlm-roberta XLMRobertaForMaskedLM CamembertForMaskedLM camembert ElectraModel "
	  "electra ElectraForPreTraining",
	  LAYER, 2, WG_TIED, NULL, NULL, wg_build_bert_model },
	{ "distilbert",
	  "DistilBertModel distilbert DistilBertForMaskedLM "
	  "DistilBertForSequenceClassification",
	  LAYER, 2, WG_TIED, NULL, NULL, wg_build_distilbert_model },
	{ "modernbert", "ModernBertModel modernbert ModernBertForMaskedLM", NO_BIAS, 2, WG_TIED,
	  NULL, NULL, wg_build_modernbert_model },
	{ "vit", "ViTModel vit ViTForImageClassification DeiTModel deit", LAYER, 2, 0, NULL, NULL,
	  wg_build_vit_model },
	{ "clip-text", "CLIPTextModel clip_text_model CLIPTextModelWithProjection", LAYER, 2, 0,
	  NULL, NULL, wg_build_clip_text_model },
	{ "clip-vision",
	  "CLIPVisionModel clip_vision_model SiglipVisionModel siglip_vision_model "
	  "CLIPVisionModelWithProjection",
	  LAYER, 2, 0, NULL, NULL, wg_build_clip_vision_model },
	{ "clip", "CLIPModel clip", LAYER, 2, 0, NULL, NULL, wg_build_clip_model },
	{ "hubert",
	  "HubertModel hubert HubertForSequenceClassification HubertForCTC Wav2Vec2Model "
	  "wav2vec2 Wav2Vec2ForCTC Wav2Vec2ForPreTraining",
	  LAYER, 2, 0, NULL, NULL, wg_build_hubert_model },

	/* --- encoder-decoders --- */
	{ "t5",
	  "T5ForConditionalGeneration t5 T5Model T5EncoderModel MT5ForConditionalGeneration mt5 "
	  "MT5EncoderModel UMT5ForConditionalGeneration umt5 UMT5EncoderModel "
	  "LongT5ForConditionalGeneration longt5",
	  RMS, 2, WG_TIED, NULL, NULL, wg_build_t5_model },
	{ "bart",
	  "BartModel bart BartForConditionalGeneration BartForSequenceClassification "
	  "MBartForConditionalGeneration mbart PegasusForConditionalGeneration pegasus "
	  "MarianMTModel marian M2M100ForConditionalGeneration m2m_100",
	  LAYER, 2, WG_TIED, NULL, NULL, wg_build_bart_model },
	/* --- diffusion --- */
	{ "unet", "UNet2DConditionModel UNet3DConditionModel", LAYER, 0, 0, NULL, NULL,
	  wg_build_unet_model },
	{ "flux", "FluxTransformer2DModel", LAYER, 0, 0, NULL, NULL, wg_build_flux_model },
	{ "hunyuan-dit", "HunyuanDiT2DModel", LAYER, 0, 0, NULL, NULL, wg_build_hunyuan_dit_model },
	{ "vae", "AutoencoderKL", LAYER, 0, 0, NULL, NULL, wg_build_vae_model },
	{ "whisper", "WhisperForConditionalGeneration whisper WhisperModel", LAYER, 2, WG_TIED,
	  NULL, NULL, wg_build_whisper_model },
};

size_t wg_family_count(void)
{
	return sizeof families / sizeof *families;
}

const struct wg_family *wg_family_at(size_t index)
{
	return index < wg_family_count() ? &families[index] : NULL;
}

static bool is_listed(const char *names, const char *name)
{
	size_t length = strlen(name);

	while (*names != '\0') {
		size_t word = strcspn(names, " ");

		if (word == length && memcmp(names, name, length) == 0)
			return true;
		names += word + (names[word] == ' ');
	}
	return false;
}

const struct wg_family *wg_family_find(const char *name)
{
	if (name == NULL || name[0] == '\0')
		return NULL;
	for (size_t i = 0; i < wg_family_count(); i++)
		if (strcmp(families[i].key, name) == 0 || is_listed(families[i].names, name))
			return &families[i];
	return NULL;
}
