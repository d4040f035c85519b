# Two GPUs counted, the first not ours to open.
driver = 550.54.15
[gpu]
Name = NVIDIA A100-SXM4-80GB
pci = 0000:07:00.0
HandleByIndex = error 4
[gpu]
Name = NVIDIA A100-SXM4-80GB
pci = 0000:0b:00.0
MemoryInfo = 85899345920 648019968 0
Temperature = 41
