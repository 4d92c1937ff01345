"""Programs that run beside this process: started, watched, stopped. Standard library and psutil only."""
