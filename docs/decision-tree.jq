# One line an option: GPU, how many, what the work costs, how long it takes; then what is out.
def money: if . >= 100 then round else (. * 100 | round / 100) end;
(.plans[] | "\(.gpu) x\(.gpus)\t" + (
	if .cost.usd_per_run then
		"\(.cost.usd_per_run.likely | money) USD a run, \(.estimate.metrics.hours_total.likely | money) h"
	else
		"\(.cost.usd_per_million_output_tokens.likely * 1000 | money) USD per 1e9 tokens"
	end) + (if .within_usual_latency then "" else ", slower than usual" end)),
(.refused[] | "\(.gpu) x\(.gpus)\tout: \(.reason)")
