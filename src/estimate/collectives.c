/* Time of collectives: alpha-beta forms of ring and tree, hierarchical over
 * nodes (Thakur et al. 2005, sec. 4; estimation 4.4). */
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
		share = fmin(1, (ranks - 1) / (path->mesh_gpus - 1));
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

	return fmin(ranks, fmax(1, inside));
}

static double ring_gather(const struct link_path *path, double ranks, double bytes)
{
	if (ranks <= 1)
		return 0;
	return (ranks - 1) * path->start_s +
	       (ranks - 1) / ranks * bytes / path_bytes_per_s(path, ranks);
}

/* Ring or tree, whichever is quicker; a switch that adds up moves less. */
static double flat_all_reduce(const struct link_path *path, double ranks, double bytes)
{
	double bytes_per_s, ring, tree;

	if (ranks <= 1)
		return 0;
	bytes_per_s = path_bytes_per_s(path, ranks);
	if (path->reduction > 1 && ranks > 4)
		bytes_per_s *= path->reduction;
	ring = 2 * (ranks - 1) * path->start_s + 2 * (ranks - 1) / ranks * bytes / bytes_per_s;
	tree = 2 * ceil(log2(ranks)) * path->start_s + 2 * bytes / bytes_per_s;
	return fmin(ring, tree);
}

double link_all_reduce(const struct run *run, double ranks, double stride, double bytes)
{
	double inside = ranks_in_node(run, ranks, stride);
	const struct link_path *path = node_path(run, inside, stride);

	if (ranks <= 1)
		return 0;
	if (inside >= ranks)
		return flat_all_reduce(path, ranks, bytes);
	/* reduce-scatter inside, all-reduce of a share across, all-gather inside */
	return 2 * ring_gather(path, inside, bytes) +
	       flat_all_reduce(&run->device->network, ranks / inside, bytes / inside);
}

/* bytes: the whole, as it is after gathering. A reduce-scatter takes as long. */
double link_all_gather(const struct run *run, double ranks, double stride, double bytes)
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
double link_all_to_all(const struct run *run, double ranks, double stride, double bytes)
{
	double inside = ranks_in_node(run, ranks, stride);
	const struct link_path *path = node_path(run, inside, stride);
	double across;

	if (ranks <= 1)
		return 0;
	if (inside >= ranks)
		return ring_gather(path, ranks, bytes);
	across = bytes * (1 - inside / ranks);
	return fmax(path->start_s * (inside - 1) +
	                (inside - 1) / ranks * bytes / path_bytes_per_s(path, inside),
	            run->device->network.start_s * log2(ranks / inside) +
	                across / path_bytes_per_s(&run->device->network, ranks));
}

/* To the next stage, `stride` GPUs away. */
double link_send(const struct run *run, double stride, double bytes)
{
	const struct link_path *path = stride >= run->gpus_per_node ? &run->device->network
	                                                            : node_path(run, 2, stride);

	return path->start_s + bytes / path_bytes_per_s(path, 2);
}
