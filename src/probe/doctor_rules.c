/* What a GPU tells of itself, rule by rule. Each is silent where the readings it
 * needs are not there. */
#include <math.h>
#include <string.h>

#include "probe/doctor_rules.h"

#define UNDER_LOAD 0.2 /* busy share from which clocks and links should be up */
#define HOG_SHARE 0.1  /* of the memory */
#define GB 1e9

static bool under_load(struct examination *e)
{
	double busy;

	return wg_reading_ok(e->gpu, WG_READ_BUSY, &busy) && busy >= UNDER_LOAD;
}

static void rule_pcie(struct examination *e)
{
	double now, most;
	struct wg_finding *finding;

	if (doctor_reads(e, WG_READ_PCIE_WIDTH, &now) &&
	    wg_reading_ok(e->gpu, WG_READ_PCIE_WIDTH_MAX, &most) && now < most) {
		finding = doctor_find(e, WG_SEVERITY_WARNING, "pcie_width",
		                      "the PCIe link is narrower than the card's");
		doctor_evidence(finding, "x%.0f of x%.0f", now, most);
		doctor_advise(finding,
		              "reseat the card, use a slot with all lanes, check the riser; "
		              "copies to and from the host are slower by that factor");
	}
	/* Idle links slow down to save power: only under load does it mean anything. */
	if (under_load(e) && doctor_reads(e, WG_READ_PCIE_GENERATION, &now) &&
	    wg_reading_ok(e->gpu, WG_READ_PCIE_GENERATION_MAX, &most) && now < most) {
		finding = doctor_find(e, WG_SEVERITY_WARNING, "pcie_generation",
		                      "the PCIe link is slower under load than the slot allows");
		doctor_evidence(finding, "generation %.0f of %.0f", now, most);
		doctor_advise(finding, "check the riser and the BIOS setting of the slot's speed");
	}
	if (wg_reading_ok(e->gpu, WG_READ_PCIE_GENERATION_DEVICE, &now) &&
	    wg_reading_ok(e->gpu, WG_READ_PCIE_GENERATION_MAX, &most) && most < now) {
		finding = doctor_find(e, WG_SEVERITY_NOTE, "pcie_slot",
		                      "the slot is of an older PCIe generation than the card");
		doctor_evidence(finding, "slot %.0f, card %.0f", most, now);
		doctor_advise(finding, "plan copies between host and GPU with the slot's speed");
	}
}

static void rule_replays(struct examination *e)
{
	double now, then;
	struct wg_finding *finding;

	if (!doctor_reads(e, WG_READ_PCIE_REPLAY, &now) || !e->before ||
	    !wg_reading_ok(e->before, WG_READ_PCIE_REPLAY, &then) || now <= then)
		return;
	finding = doctor_find(e, WG_SEVERITY_WARNING, "pcie_replays",
	                      "the PCIe link repeats packets: its signal is poor");
	doctor_evidence(finding, "%.0f more within a moment, %.0f in all", now - then, now);
	doctor_advise(finding, "reseat the card, check the riser");
}

static void rule_power(struct examination *e)
{
	double limit, otherwise;
	struct wg_finding *finding;

	if (!doctor_reads(e, WG_READ_POWER_LIMIT, &limit) ||
	    !wg_reading_ok(e->gpu, WG_READ_POWER_LIMIT_DEFAULT, &otherwise))
		return;
	if (limit < otherwise * 0.99) {
		finding = doctor_find(e, WG_SEVERITY_WARNING, "power_limit_low",
		                      "the power limit is below the default: speed is given away");
		doctor_evidence(finding, "%.0f W of %.0f W", limit, otherwise);
		doctor_advise(finding, "if it is not meant, set it back (nvidia-smi -pl, as root)");
	} else if (limit > otherwise * 1.01) {
		finding = doctor_find(e, WG_SEVERITY_NOTE, "power_limit_high",
		                      "the power limit is above the default");
		doctor_evidence(finding, "%.0f W over %.0f W", limit, otherwise);
	}
}

static void rule_throttle(struct examination *e)
{
	static const struct {
		unsigned bit;
		enum wg_severity severity;
		const char *code, *words, *advice;
	} reasons[] = {
		{ WG_THROTTLE_HW_THERMAL, WG_SEVERITY_FAULT, "slowed_heat_hardware",
		  "the hardware halves its clocks because it is too hot",
		  "check fans, dust, airflow and the heat sink" },
		{ WG_THROTTLE_POWER_BRAKE, WG_SEVERITY_FAULT, "slowed_power_brake",
		  "the machine's power supply tells the GPU to slow down",
		  "check the power supplies and their cables, and the machine's power cap" },
		{ WG_THROTTLE_SW_THERMAL, WG_SEVERITY_WARNING, "slowed_heat",
		  "clocks are lowered because of heat", "check fans, dust and airflow" },
		{ WG_THROTTLE_POWER_CAP, WG_SEVERITY_NOTE, "power_cap",
		  "clocks are held by the power limit, as is usual under full load",
		  "a higher limit gives some speed where the card and cooling allow it" },
	};
	double bits;

	if (!doctor_reads(e, WG_READ_THROTTLE_REASONS, &bits))
		return;
	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
		struct wg_finding *finding;
		double clock, most;

		if (!((unsigned)bits & reasons[i].bit))
			continue;
		finding = doctor_find(e, reasons[i].severity, reasons[i].code, "%s",
		                      reasons[i].words);
		if (wg_reading_ok(e->gpu, WG_READ_SM_CLOCK, &clock) &&
		    wg_reading_ok(e->gpu, WG_READ_SM_CLOCK_MAX, &most))
			doctor_evidence(finding, "SM clock %.0f of %.0f MHz", clock / 1e6,
			                most / 1e6);
		doctor_advise(finding, reasons[i].advice);
	}
	/* The general bit alone: neither heat nor brake was named. */
	if (((unsigned)bits & WG_THROTTLE_HW_SLOWDOWN) &&
	    !((unsigned)bits & (WG_THROTTLE_HW_THERMAL | WG_THROTTLE_POWER_BRAKE)))
		doctor_advise(doctor_find(e, WG_SEVERITY_FAULT, "slowed_hardware",
		                          "the hardware slows itself down"),
		              "check heat, power cables and the power supply");
}

static void rule_heat(struct examination *e)
{
	double celsius, limit;
	struct wg_finding *finding;

	if (!doctor_reads(e, WG_READ_TEMPERATURE, &celsius) ||
	    !wg_reading_ok(e->gpu, WG_READ_TEMPERATURE_SLOWDOWN, &limit) || celsius < limit - 3)
		return;
	finding = doctor_find(e, WG_SEVERITY_WARNING, "hot",
	                      "the GPU is close to its slowdown limit");
	doctor_evidence(finding, "%.0f of %.0f degrees Celsius", celsius, limit);
	doctor_advise(finding, "check fans, dust and airflow");
}

static void counted(struct examination *e, enum wg_reading_name name, enum wg_severity severity,
                    const char *code, const char *words, const char *advice)
{
	struct wg_finding *finding;
	double count;

	if (!doctor_reads(e, name, &count) || count <= 0)
		return;
	finding = doctor_find(e, severity, code, "%s", words);
	doctor_evidence(finding, "%s: %.0f", wg_reading_label(name), count);
	doctor_advise(finding, advice);
}

static void rule_memory_errors(struct examination *e)
{
	double on, pending;

	counted(e, WG_READ_ECC_UNCORRECTED, WG_SEVERITY_FAULT, "ecc_uncorrected",
	        "memory errors that could not be corrected since the driver was loaded",
	        "reset the GPU; results of jobs that ran on it are not to be trusted; replace it if "
	        "they come back");
	counted(e, WG_READ_ECC_CORRECTED, WG_SEVERITY_NOTE, "ecc_corrected",
	        "memory errors that were corrected", "watch whether the number grows");
	counted(e, WG_READ_REMAP_FAILURE, WG_SEVERITY_FAULT, "remap_failure",
	        "a bad row of memory could not be replaced: no spare rows are left",
	        "replace the card");
	counted(e, WG_READ_REMAP_PENDING, WG_SEVERITY_WARNING, "remap_pending",
	        "a bad row of memory waits to be replaced", "reset the GPU when it is free");
	counted(e, WG_READ_REMAPPED_UNCORRECTED, WG_SEVERITY_NOTE, "remapped",
	        "bad rows of memory were replaced by spare ones", "watch whether the number grows");
	counted(e, WG_READ_RETIRED_PENDING, WG_SEVERITY_WARNING, "retire_pending",
	        "a bad page of memory waits to be set aside",
	        "restart the machine when it is free");
	if (doctor_reads(e, WG_READ_ECC_MODE, &on) &&
	    wg_reading_ok(e->gpu, WG_READ_ECC_MODE_PENDING, &pending) && on != pending)
		doctor_advise(doctor_find(e, WG_SEVERITY_NOTE, "ecc_pending",
		                          "ECC will be switched %s at the next reset",
		                          pending > 0 ? "on" : "off"),
		              "reset the GPU when it is free");
}

static void rule_xid(struct examination *e)
{
	double count, last;
	const struct wg_xid_meaning *meaning;
	struct wg_finding *finding;

	if (!doctor_reads(e, WG_READ_XID_COUNT, &count) || count <= 0 ||
	    !wg_reading_ok(e->gpu, WG_READ_XID_LAST, &last))
		return;
	meaning = wg_xid_find((unsigned)last);
	finding = doctor_find(e, meaning ? meaning->severity : WG_SEVERITY_WARNING, "xid_now", "%s",
	                      meaning ? meaning->words : "the driver reports an error just now");
	doctor_evidence(finding, "XID %.0f", last);
	doctor_advise(finding,
	              meaning ? meaning->advice : "look it up in NVIDIA's document \"Xid Errors\"");
}

static void rule_recovery(struct examination *e)
{
	static const char *const actions[] = { "none",
		                               "a reset",
		                               "a restart of the machine",
		                               "its peers to be drained",
		                               "to be drained and reset",
		                               "its IMEX domain to be recovered" };
	struct wg_finding *finding;
	double action;

	if (!doctor_reads(e, WG_READ_RECOVERY_ACTION, &action) || action <= 0)
		return;
	finding = doctor_find(e, WG_SEVERITY_FAULT, "recovery",
	                      "the driver says that the GPU needs %s",
	                      action < 6 ? actions[(int)action] : "to be recovered");
	doctor_evidence(finding, "recovery action %.0f", action);
	doctor_advise(finding, "stop what runs on it and do so");
}

static void rule_nvlink(struct examination *e)
{
	double links, up;
	struct wg_finding *finding;

	if (doctor_reads(e, WG_READ_NVLINK_LINKS, &links) &&
	    wg_reading_ok(e->gpu, WG_READ_NVLINK_ACTIVE, &up) && up > 0 && up < links) {
		finding =
			doctor_find(e, WG_SEVERITY_WARNING, "nvlink_down", "some NVLinks are down");
		doctor_evidence(finding, "%.0f of %.0f are up", up, links);
		doctor_advise(finding, "reseat the bridge or module; check the fabric manager");
	}
	counted(e, WG_READ_NVLINK_CRC_DATA, WG_SEVERITY_WARNING, "nvlink_crc",
	        "data over NVLink arrived damaged and was sent again",
	        "reseat the bridge or module if the number grows");
	counted(e, WG_READ_NVLINK_RECOVERY, WG_SEVERITY_WARNING, "nvlink_recovery",
	        "NVLinks had to be trained anew",
	        "reseat the bridge or module if the number grows");
}

static void rule_modes(struct examination *e)
{
	double on, pending, persistence, bar, memory, instances = 0;
	struct wg_finding *finding;

	if (doctor_reads(e, WG_READ_PERSISTENCE, &persistence) && persistence == 0)
		doctor_advise(
			doctor_find(
				e, WG_SEVERITY_NOTE, "persistence_off",
				"persistence mode is off: the first call after a pause is slow"),
			"run nvidia-persistenced, or nvidia-smi -pm 1 as root");
	if (doctor_reads(e, WG_READ_MIG_MODE, &on) &&
	    wg_reading_ok(e->gpu, WG_READ_MIG_MODE_PENDING, &pending)) {
		for (size_t i = 0; i < e->input->now->count; i++) {
			const struct wg_probe_gpu *other = &e->input->now->gpus[i];

			instances +=
				other->parent >= 0 && &e->input->now->gpus[other->parent] == e->gpu;
		}
		if (on != pending)
			doctor_advise(doctor_find(e, WG_SEVERITY_WARNING, "mig_pending",
			                          "MIG is %s but will be %s after a reset",
			                          on > 0 ? "on" : "off",
			                          pending > 0 ? "on" : "off"),
			              "reset the GPU when it is free");
		if (on > 0 && instances == 0)
			doctor_advise(
				doctor_find(e, WG_SEVERITY_WARNING, "mig_empty",
			                    "MIG is on and there is no instance: nothing can run"),
				"make instances (nvidia-smi mig -cgi), or switch MIG off");
	}
	if (doctor_reads(e, WG_READ_BAR1_TOTAL, &bar) &&
	    wg_reading_ok(e->gpu, WG_READ_MEMORY_TOTAL, &memory) && bar < memory * 0.5) {
		finding = doctor_find(e, WG_SEVERITY_NOTE, "small_bar",
		                      "the host sees only a part of the GPU's memory");
		doctor_evidence(finding, "%.2f of %.1f GB", bar / GB, memory / GB);
		doctor_advise(finding,
		              "switch on \"above 4G decoding\" and \"resizable BAR\" in the BIOS");
	}
}

static void rule_memory_clock(struct examination *e)
{
	double now, most;
	struct wg_finding *finding;

	if (!under_load(e) || !doctor_reads(e, WG_READ_MEMORY_CLOCK, &now) ||
	    !wg_reading_ok(e->gpu, WG_READ_MEMORY_CLOCK_MAX, &most) || now >= most * 0.9)
		return;
	finding = doctor_find(e, WG_SEVERITY_WARNING, "memory_clock",
	                      "the memory runs below its clock under load");
	doctor_evidence(finding, "%.0f of %.0f MHz", now / 1e6, most / 1e6);
	doctor_advise(finding, "check application clocks (nvidia-smi -rac) and heat of the memory");
}

/* Holds memory and did nothing in this and the sample before. */
static bool idles(const struct wg_probe_gpu *gpu, uint32_t pid)
{
	for (size_t i = 0; gpu && i < gpu->process_count; i++) {
		const struct wg_probe_process *process = &gpu->processes[i];

		if (process->pid == pid)
			return process->busy_ratio.state == WG_PROBE_OK &&
			       process->busy_ratio.value == 0;
	}
	return false;
}

static void rule_hogs(struct examination *e)
{
	double memory;

	if (!doctor_reads(e, WG_READ_MEMORY_TOTAL, &memory))
		return;
	for (size_t i = 0; i < e->gpu->process_count; i++) {
		const struct wg_probe_process *process = &e->gpu->processes[i];
		struct wg_finding *finding;

		if (process->memory_bytes.state != WG_PROBE_OK ||
		    process->memory_bytes.value < memory * HOG_SHARE ||
		    !idles(e->gpu, process->pid) || !idles(e->before, process->pid))
			continue;
		finding = doctor_find(e, WG_SEVERITY_NOTE, "idle_process",
		                      "a process holds memory and does nothing at the moment");
		doctor_evidence(finding, "process %u: %.1f GB, 0 %% busy, %.100s", process->pid,
		                process->memory_bytes.value / GB,
		                process->command[0] ? process->command : "not visible from here");
		doctor_advise(finding, "if it was forgotten, end it");
	}
}

void doctor_rules_gpu(struct examination *e)
{
	static void (*const rules[])(struct examination *) = {
		rule_pcie,   rule_replays,       rule_power,        rule_throttle,
		rule_heat,   rule_memory_errors, rule_xid,          rule_recovery,
		rule_nvlink, rule_modes,         rule_memory_clock, rule_hogs,
	};

	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
		rules[i](e);
}
