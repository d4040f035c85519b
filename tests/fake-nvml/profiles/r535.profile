# Drivers 535.43 to before 535.86: 32 bytes a process under the name of 24.
driver = 535.54.03
nvml = 12.535.54.03
cuda = 12020
stride = 32
[gpu]
Name = NVIDIA L40S
UUID = GPU-40500000-0000-4000-8000-000000000000
pci = 0000:a1:00.0
MemoryInfo = 48305799168 500000000 20000000000
UtilizationRates = 80 20
Temperature = 55
PowerUsage = 280000
process = 100 1000000000 compute 10
process = 200 2000000000 compute 20
process = 300 na compute 30
process = 400 400000000 graphics 1
