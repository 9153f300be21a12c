"""Public environments that an agent is put into as they come: which run, which are refused and by what sentence."""
