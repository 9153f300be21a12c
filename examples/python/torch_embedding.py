"""Images through a torch module: what it makes of a picture is what the agent remembers.

The module here is a fixed random convolution; one that was trained elsewhere (an encoder, a vision model) goes into its
place. It needs torch, and says so if torch is not there.
"""

import sys

import gymnasium
import numpy as np

import sfnec

try:
    import torch
except ImportError:
    print("this example needs torch: pip install torch")
    sys.exit(0)


class Pictures(gymnasium.ObservationWrapper):
    """The four rooms as one sees them: a picture instead of numbers."""

    def __init__(self, env: gymnasium.Env) -> None:
        super().__init__(env)
        env.reset(seed=0)
        self.observation_space = gymnasium.spaces.Box(0, 255, self.observation(None).shape, np.uint8)

    def observation(self, _) -> np.ndarray:
        return self.unwrapped.render()[::4, ::4]


torch.manual_seed(0)
torch.set_num_threads(1)
network = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 5, stride=3),
    torch.nn.ReLU(),
    torch.nn.Conv2d(8, 4, 3, stride=2),
    torch.nn.Flatten(),
).eval()


@torch.no_grad()
def embedding(picture: np.ndarray) -> torch.Tensor:
    return network(torch.from_numpy(picture.copy()).permute(2, 0, 1)[None].float() / 255)[0]


env = Pictures(gymnasium.make("sfnec/FourRoomsGrid-v0", goal="own", render_mode="rgb_array"))
agent = sfnec.Agent("sfnec-plus", env, embedding=embedding, seed=1)
agent.begin_task([0.5, 0.5, -0.5, 1.0])
agent.learn(int(sys.argv[1]) if len(sys.argv) > 1 else 3_000)
goals = sum(episode.terminated for episode in agent.episodes)
print(f"{len(agent.episodes)} episodes from pictures alone, {goals} reached the goal")
