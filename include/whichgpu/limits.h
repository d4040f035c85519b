/* Every limit on what comes from outside, in one place. Checked before memory
 * is asked for; each has a test at its edge. */
#ifndef WHICHGPU_LIMITS_H
#define WHICHGPU_LIMITS_H

#include <stddef.h>

#define WG_LIMIT_ARENA_BYTES ((size_t)1 << 30)
#define WG_LIMIT_JSON_BYTES ((size_t)128 << 20)   /* a config, an index, a safetensors header */
#define WG_LIMIT_JSON_DEPTH 128
#define WG_LIMIT_JSON_VALUES ((size_t)4 << 20)     /* members and elements of one document */
#define WG_LIMIT_CSV_BYTES ((size_t)512 << 20)
#define WG_LIMIT_CSV_COLUMNS 256
#define WG_LIMIT_CSV_CELL_BYTES ((size_t)64 << 10)
#define WG_LIMIT_TEXT_BYTES ((size_t)256 << 20)   /* a report */
#define WG_LIMIT_SAFETENSORS_HEADER_BYTES 100000000ULL   /* the format says so */
#define WG_LIMIT_TENSORS ((size_t)2 << 20)        /* of one model, all files */
#define WG_LIMIT_SHARDS 65536                     /* files of one model */
#define WG_LIMIT_GGUF_KEYS 65536
#define WG_LIMIT_GGUF_LAYERS 512                  /* the reference engine has no more */
#define WG_LIMIT_GGUF_ALIGNMENT 1048576           /* real files: 32 */
#define WG_LIMIT_GGUF_STRING_BYTES ((size_t)1 << 30)
#define WG_LIMIT_LAYERS 4096                      /* of a model */
#define WG_LIMIT_DIMENSION 16777216               /* hidden size, width, heads, vocabulary */
#define WG_LIMIT_EXPERTS 65536
#define WG_LIMIT_GPUS 65536                       /* in one plan */
#define WG_LIMIT_PRICES 2000000
#define WG_LIMIT_PROBE_GPUS 1024                  /* GPUs and instances in one sample */
#define WG_LIMIT_PROBE_PROCESSES 8192             /* on one GPU */

#endif
