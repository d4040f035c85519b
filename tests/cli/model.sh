#!/bin/sh
# model MODEL: the page, its JSON, and every kind of bad input.
. "$(dirname "$0")/lib.sh"

# The document in out holds this text, blanks aside.
json() {
	tr -d ' \n' <out | grep -qF -- "$1"
}

exits "a built-in model" 0 model llama-3.1-70b
check "its parameters" grep -q '70\.6 B' out
check "its weights" grep -Eq 'BF16 +141 ' out
check "KV of 1,000 tokens" grep -Eq '1,000 tokens +328 MB' out
check "the page fits a screen" [ "$(wc -l <out)" -le 40 ]
check "within 100 columns" [ "$(wc -L <out)" -le 100 ]

exits "as JSON" 0 model llama-3.1-70b --json
check "schema" json '"schema":"whichgpu/model/1"'
check "parameters" json '"parameters":70553706496'
check "layers" json '"layers":80'
check "vocabulary" json '"vocabulary":128256'
check "weight bytes" json '"weight_bytes":141107412992'
check "KV" json '"kv":{"fixed_bytes":0,"bytes_per_token":327680,"capped":[]'
check "no warnings" json '"warnings":[]'
run model gpt-oss-120b --json
check "windows are capped parts" json '"bytes_per_token":36864,"capped":[{"bytes_per_token":36864,"tokens":128}]'
run model deepseek-v3 --json
check "active parameters" json '"active_parameters":37552297472'
check "one latent" json '"bytes_per_token":70272'

exits "a plain size" 0 model params:7B
check "says what it assumed" grep -q 'only a size was given' out
exits "all built-in models" 0 model --table --csv
check "more than 60" [ "$(wc -l <out)" -gt 60 ]

# A model that is not built in: same family, other sizes.
mkdir new
cat >new/config.json <<EOF
{"architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128,
 "vocab_size": 1000, "max_position_embeddings": 512, "torch_dtype": "bfloat16",
 "time_step_limit": [0.0, Infinity]}
EOF
# 2 x 1000 x 64 + 2 x (64 x 64 x 2 + 64 x 32 x 2 + 3 x 64 x 128 + 128) + 64
exits "a folder" 0 model new --json
check "counted" json '"parameters":202048'
exits "its config alone" 0 model new/config.json --json
check "counted the same" json '"parameters":202048'

refused "unknown model" "llama-3.1-70b" model llama-3.1-71b
refused "nothing named" "no MODEL" model
refused "two named" "more than one MODEL" model llama-2-7b llama-2-13b
refused "a size that is none" "does not start with a number" model params:apples
mkdir empty
refused "a folder without a model" "empty" model empty
printf '{"hidden_size": 64,\n "num_hidden_layers": }\n' >bad.json
refused "no JSON: the line and column" "bad.json:2:23" model bad.json
printf '{"architectures": ["LlamaForCausalLM"], "hidden_size": "big"}' >bad.json
refused "a word for a number" "hidden_size" model bad.json
printf '{"architectures": ["NoSuchModel"]}' >bad.json
refused "an unknown architecture" "NoSuchModel" model bad.json
run model llama-3.1-70b --json >/dev/full 2>&1
finish
