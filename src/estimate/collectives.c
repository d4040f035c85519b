/* Time of collectives: alpha-beta forms of ring and tree, hierarchical over
 * nodes (Thakur et al. 2005, sec. 4; docs/estimator.md, Collectives). */
#include <math.h>

#include "estimate/internal.h"

/* Efficiencies are given at 2, 4, 8 and more ranks. */
static double efficiency_at(const struct link_path *path, double ranks)
{
	return path->efficiency[ranks <= 2 ? 0 : ranks <= 4 ? 1 : ranks <= 8 ? 2 : 3];
}

/* Bytes a second one GPU sends in a ring of so many ranks. On a mesh of direct
 * links a GPU reaches only the links to the GPUs that take part. */
static double path_bytes_per_s(const struct link_path *path, double ranks)
{
	double share = 1;

	if (path->mesh_gpus > 1)
		share = smaller(1, (ranks - 1) / (path->mesh_gpus - 1));
	return path->bytes_per_s * share * efficiency_at(path, ranks);
}

/* The path that `ranks` neighbours of one node share. */
static const struct link_path *node_path(const struct run *run, double ranks, double stride)
{
	const struct device *device = run->device;

	return ranks * stride <= device->pair_gpus ? &device->pair : &device->node;
}

/* Ranks of a group that stand in one node, ranks standing `stride` apart. */
static double ranks_in_node(const struct run *run, double ranks, double stride)
{
	double inside = floor(run->gpus_per_node / stride);

	return smaller(ranks, larger(1, inside));
}

static double ring_gather(const struct link_path *path, double ranks, double bytes)
{
	if (ranks <= 1)
		return 0;
	return (ranks - 1) * path->start_s +
	       (ranks - 1) / ranks * bytes / path_bytes_per_s(path, ranks);
}

/* A switch that adds up moves less. */
static struct reduce_lines flat_reduce(const struct link_path *path, double ranks)
{
	double s_per_byte = 1 / path_bytes_per_s(path, ranks);

	if (path->reduction > 1 && ranks > 4)
		s_per_byte /= path->reduction;
	return (struct reduce_lines){
		.ring_s = 2 * (ranks - 1) * path->start_s,
		.ring_s_per_byte = 2 * (ranks - 1) / ranks * s_per_byte,
		.tree_s = 2 * ceil(log2(ranks)) * path->start_s,
		.tree_s_per_byte = 2 * s_per_byte,
	};
}

/* Over nodes: reduce-scatter inside, all-reduce of a share across, all-gather
 * inside. */
struct reduce_lines wg_link_reduce_lines(const struct run *run, double ranks, double stride)
{
	double inside = ranks_in_node(run, ranks, stride), gather_s, gather_s_per_byte;
	const struct link_path *path = node_path(run, inside, stride);
	struct reduce_lines across;

	if (ranks <= 1)
		return (struct reduce_lines){ 0 };
	if (inside >= ranks)
		return flat_reduce(path, ranks);
	across = flat_reduce(&run->device->network, ranks / inside);
	gather_s = 2 * ring_gather(path, inside, 0);
	gather_s_per_byte = 2 * ring_gather(path, inside, 1) - gather_s;
	return (struct reduce_lines){
		.ring_s = gather_s + across.ring_s,
		.ring_s_per_byte = gather_s_per_byte + across.ring_s_per_byte / inside,
		.tree_s = gather_s + across.tree_s,
		.tree_s_per_byte = gather_s_per_byte + across.tree_s_per_byte / inside,
	};
}

double wg_link_all_reduce(const struct run *run, double ranks, double stride, double bytes)
{
	struct reduce_lines lines = wg_link_reduce_lines(run, ranks, stride);

	return reduce_time(&lines, bytes);
}

/* bytes: the whole, as it is after gathering. A reduce-scatter takes as long. */
double wg_link_all_gather(const struct run *run, double ranks, double stride, double bytes)
{
	double inside = ranks_in_node(run, ranks, stride);
	const struct link_path *path = node_path(run, inside, stride);

	if (ranks <= 1)
		return 0;
	if (inside >= ranks)
		return ring_gather(path, ranks, bytes);
	return ring_gather(path, inside, bytes) +
	       ring_gather(&run->device->network, ranks / inside, bytes / inside);
}

/* bytes: what one rank sends in all, its own share included. */
double wg_link_all_to_all(const struct run *run, double ranks, double stride, double bytes)
{
	double inside = ranks_in_node(run, ranks, stride);
	const struct link_path *path = node_path(run, inside, stride);
	double across;

	if (ranks <= 1)
		return 0;
	if (inside >= ranks)
		return ring_gather(path, ranks, bytes);
	across = bytes * (1 - inside / ranks);
	return larger(path->start_s * (inside - 1) +
	                      (inside - 1) / ranks * bytes / path_bytes_per_s(path, inside),
	              run->device->network.start_s * log2(ranks / inside) +
	                      across / path_bytes_per_s(&run->device->network, ranks));
}

/* To the next stage, `stride` GPUs away. */
double wg_link_send(const struct run *run, double stride, double bytes)
{
	const struct link_path *path =
		stride >= run->gpus_per_node ? &run->device->network : node_path(run, 2, stride);

	return path->start_s + bytes / path_bytes_per_s(path, 2);
}
