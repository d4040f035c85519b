# For the library without _v2 and _v3 names.
driver = 418.226.00
nvml = 10.418.226.00
cuda = 10010
[gpu]
Name = Tesla V100-SXM2-16GB
UUID = GPU-v1000000-0000-4000-8000-000000000000
pci = 0000:04:00.0
MemoryInfo = 16945512448 0 1073741824
UtilizationRates = 12 3
Temperature = 39
PowerUsage = 61000
PerformanceState = 0
ClocksEventReasons = 1
TotalEccErrors.0.0 = 3
TotalEccErrors.1.0 = 1
ViolationStatus.0 = 5000000000
process = 812 1073741824 compute 12
process = 813 536870912 compute 3
