/* The functions that rows of the family table point to. */
#ifndef WHICHGPU_MODEL_FAMILY_H
#define WHICHGPU_MODEL_FAMILY_H

#include "model/decoder.h"

/* family_dense.c */
void wg_family_llama(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_qwen(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_gemma2(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_gemma3(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_chatglm(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_stablelm(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_cohere(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_cohere2(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_falcon(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_opt(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_gpt2(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_gpt_neo(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_mpt(struct wg_builder *builder, struct wg_decoder *decoder);

/* family_moe.c */
void wg_family_glm4_moe(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_minimax_m2(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_gpt_oss(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_family_llama4(struct wg_builder *builder, struct wg_decoder *decoder);

/* family_hybrid.c: layers of several kinds */
void wg_family_qwen3_next(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_layer_qwen3_next(struct wg_builder *builder, const struct wg_decoder *decoder,
                         unsigned index, struct wg_layer *ret_layer);
void wg_layer_kimi_linear(struct wg_builder *builder, const struct wg_decoder *decoder,
                          unsigned index, struct wg_layer *ret_layer);
void wg_family_kimi_linear(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_layer_lfm2(struct wg_builder *builder, const struct wg_decoder *decoder, unsigned index,
                   struct wg_layer *ret_layer);
void wg_family_lfm2(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_layer_jamba(struct wg_builder *builder, const struct wg_decoder *decoder, unsigned index,
                    struct wg_layer *ret_layer);
void wg_family_jamba(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_layer_granite_hybrid(struct wg_builder *builder, const struct wg_decoder *decoder,
                             unsigned index, struct wg_layer *ret_layer);
void wg_family_granite_hybrid(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_layer_nemotron_h(struct wg_builder *builder, const struct wg_decoder *decoder,
                         unsigned index, struct wg_layer *ret_layer);
void wg_family_nemotron_h(struct wg_builder *builder, struct wg_decoder *decoder);

/* family_recurrent.c: no attention at all */
void wg_build_mamba_model(struct wg_builder *builder);
void wg_build_mamba2_model(struct wg_builder *builder);
void wg_build_rwkv7_model(struct wg_builder *builder);

/* encoder.c */
void wg_build_bert_model(struct wg_builder *builder);
void wg_build_distilbert_model(struct wg_builder *builder);
void wg_build_modernbert_model(struct wg_builder *builder);
void wg_build_clip_text_model(struct wg_builder *builder);
void wg_build_clip_vision_model(struct wg_builder *builder);
void wg_build_clip_model(struct wg_builder *builder);
void wg_build_vit_model(struct wg_builder *builder);
void wg_build_hubert_model(struct wg_builder *builder);

/* seq2seq.c */
void wg_build_t5_model(struct wg_builder *builder);
void wg_build_t5_encoder(struct wg_builder *builder);
void wg_build_bart_model(struct wg_builder *builder);
void wg_build_whisper_model(struct wg_builder *builder);

/* family_special.c */
void wg_family_gemma4(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_layer_gemma4(struct wg_builder *builder, const struct wg_decoder *decoder, unsigned index,
                     struct wg_layer *ret_layer);
void wg_family_mllama(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_layer_mllama(struct wg_builder *builder, const struct wg_decoder *decoder, unsigned index,
                     struct wg_layer *ret_layer);
void wg_family_deepseek_v4(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_layer_deepseek_v4(struct wg_builder *builder, const struct wg_decoder *decoder,
                          unsigned index, struct wg_layer *ret_layer);
void wg_family_mimo_v2(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_layer_mimo_v2(struct wg_builder *builder, const struct wg_decoder *decoder, unsigned index,
                      struct wg_layer *ret_layer);
void wg_family_nemotron_nas(struct wg_builder *builder, struct wg_decoder *decoder);
void wg_layer_nemotron_nas(struct wg_builder *builder, const struct wg_decoder *decoder,
                           unsigned index, struct wg_layer *ret_layer);

/* diffusion.c, unet.c */
void wg_build_unet_model(struct wg_builder *builder);
void wg_build_flux_model(struct wg_builder *builder);
void wg_build_hunyuan_dit_model(struct wg_builder *builder);
void wg_build_vae_model(struct wg_builder *builder);

#endif
