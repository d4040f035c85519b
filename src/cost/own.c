/* Owning a GPU: cost a year and an hour, with the range of its inputs. */
#include "whichgpu/cost.h"

#include <math.h>
#include <string.h>

enum {
#define WG_INPUT(name) INPUT_##name,
	WG_OWNERSHIP_INPUTS(WG_INPUT)
#undef WG_INPUT
		INPUT_COUNT
};

/* The inputs as a vector, so that each can be moved alone. */
struct point {
	double at[INPUT_COUNT];
};

double wg_cost_annuity(double capex_usd, double residual_usd, double life_years, double interest)
{
	if (interest == 0) {
		return (capex_usd - residual_usd) / life_years;
	}
	double discount = pow(1 + interest, -life_years);
	return (capex_usd - residual_usd * discount) * interest / (1 - discount);
}

static void own_at(const struct point *point, struct wg_ownership *own)
{
	const double *in = point->at;
	double wall_kw = in[INPUT_gpu_watts] * in[INPUT_server_overhead] / 1000;
	own->capital =
		wg_cost_annuity(in[INPUT_capex_usd], in[INPUT_capex_usd] * in[INPUT_residual_share],
	                        in[INPUT_life_years], in[INPUT_interest]);
	own->energy = wall_kw * in[INPUT_load_share] * in[INPUT_pue] * in[INPUT_usd_per_kwh] *
	              WG_HOURS_PER_YEAR;
	own->space = in[INPUT_rated_kw] * in[INPUT_colocation_usd_per_kw_month] * 12;
	own->maintenance = in[INPUT_maintenance_share] * in[INPUT_capex_usd];
	own->staff = in[INPUT_staff_usd_per_year];
	own->total = own->capital + own->energy + own->space + own->maintenance + own->staff;
	own->usd_per_installed_hour = own->total / WG_HOURS_PER_YEAR;
	own->usd_per_delivered_hour = own->usd_per_installed_hour / in[INPUT_utilisation];
}

static struct point likely_point(const struct wg_ownership_inputs *inputs)
{
	return (struct point){ .at = {
#define WG_INPUT(name) [INPUT_##name] = inputs->name.likely,
				       WG_OWNERSHIP_INPUTS(WG_INPUT)
#undef WG_INPUT
			       } };
}

/* Each input alone to each of its ends; the logarithms of what that does to
 * the cost add up as squares, upwards and downwards apart. */
void wg_cost_own(const struct wg_ownership_inputs *inputs, struct wg_ownership *ret_ownership)
{
	const struct wg_range ranges[INPUT_COUNT] = {
#define WG_INPUT(name) [INPUT_##name] = inputs->name,
		WG_OWNERSHIP_INPUTS(WG_INPUT)
#undef WG_INPUT
	};
	struct wg_ownership own = { 0 }, moved = { 0 };
	struct point centre = likely_point(inputs);
	double up = 0, down = 0;
	own_at(&centre, &own);
	for (unsigned i = 0; i < INPUT_COUNT; i++) {
		const double ends[2] = { ranges[i].low, ranges[i].high };
		for (unsigned end = 0; end < 2; end++) {
			struct point point = centre;
			point.at[i] = ends[end];
			own_at(&point, &moved);
			double distance =
				log(moved.usd_per_delivered_hour / own.usd_per_delivered_hour);
			*(distance > 0 ? &up : &down) += distance * distance;
		}
	}
	own.usd_per_hour = wg_range_make(own.usd_per_delivered_hour * exp(-sqrt(down)),
	                                 own.usd_per_delivered_hour,
	                                 own.usd_per_delivered_hour * exp(sqrt(up)));
	*ret_ownership = own;
}

/* Bare GPU to its share of a server (Epoch AI, training-cost-trends: P100 1.54,
 * V100 1.69, A100 1.66). */
static struct wg_range capex(const struct wg_gpu *gpu, const struct wg_quote *quote)
{
	bool whole = quote->with_server || gpu->class == WG_CLASS_UNIFIED;
	return whole ? quote->usd : wg_range_times(quote->usd, wg_range_make(1.54, 1.64, 1.69));
}

/* Switches and cables per GPU (data/prices/network.csv: clusters of 512, 1,024
 * and 32,768 H100). */
static struct wg_range with_fabric(struct wg_range capex_usd)
{
	return wg_range_make(capex_usd.low + 1882, capex_usd.likely + 4248, capex_usd.high + 6613);
}

void wg_cost_own_defaults(const struct wg_gpu *gpu, const struct wg_quote *quote, bool networked,
                          struct wg_ownership_inputs *ret_inputs)
{
	bool hosted = gpu->class == WG_CLASS_DATA_CENTRE;
	double watts = wg_figure_or(&gpu->figures[WG_GPU_POWER], 0);
	struct wg_range none = wg_range_exact(0);
	*ret_inputs = (struct wg_ownership_inputs){
		.capex_usd = networked ? with_fabric(capex(gpu, quote)) : capex(gpu, quote),
		.life_years = wg_range_make(3, 5, 6),
		.residual_share = wg_range_make(0.05, 0.15, 0.35),
		.interest = wg_range_make(0.05, 0.10, 0.15),
		.gpu_watts = wg_range_exact(watts),
		/* share of rated power while serving: ML.ENERGY, H100, p10, median, p90 */
		.load_share = wg_range_make(0.54, 0.71, 0.89),
		.server_overhead = wg_range_make(1.6, 1.82, 2.08),
		/* Uptime Institute 2024 mean at the high end; a desk has no cooling plant */
		.pue = hosted ? wg_range_make(1.10, 1.25, 1.56) : wg_range_make(1.0, 1.0, 1.25),
		/* EIA industrial 2025; at home: GlobalPetrolPrices world mean and Eurostat's ends */
		.usd_per_kwh = hosted ? wg_range_make(0.0575, 0.0826, 0.21)
		                      : wg_range_make(0.1144, 0.165, 0.362),
		.rated_kw = hosted ? wg_range_exact(watts * 1.82 / 1000) : none,
		/* CBRE, North America, H2 2024 */
		.colocation_usd_per_kw_month = hosted ? wg_range_make(120, 184, 250) : none,
		.maintenance_share = wg_range_make(0.02, 0.04, 0.08),
		.staff_usd_per_year = hosted ? wg_range_make(200, 700, 2000) : none,
		.utilisation = wg_range_make(0.4, 0.7, 0.9),
	};
}
