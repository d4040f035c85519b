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

#endif
