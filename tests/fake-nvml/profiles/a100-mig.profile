# Three instances; the whole GPU tells no utilisation and, without rights, no memory.
driver = 525.105.17
nvml = 12.525.105.17
cuda = 12000
[gpu]
Name = NVIDIA A100-SXM4-40GB
UUID = GPU-a1000000-0000-4000-8000-0000000000aa
pci = 0000:0f:00.0
ComputeCapability = 8 0
MemoryInfo = error 4
Temperature = 44
PowerUsage = 120000
PowerLimit = 400000
MigMode = 1 1
mig.0 = 1 0 21072183296 11000000000 42 NVIDIA A100-SXM4-40GB MIG 3g.20gb
mig.1 = 5 0 10468982784 0 28 NVIDIA A100-SXM4-40GB MIG 2g.10gb
mig.4 = 9 0 5100273664 4000000000 14 NVIDIA A100-SXM4-40GB MIG 1g.5gb
