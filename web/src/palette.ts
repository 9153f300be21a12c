// palette.ts: the look of what is drawn, made from src/show/theme/theme.c by tests/show/tool_theme.c. Do not edit it;
// tests/show/one_theme.sh says when and how to make it again.

// How the curve of each configuration looks; dashes are in widths of the line.
export type Mark = 'circle' | 'square' | 'triangle' | 'upside' | 'pentagon' | 'diamond';
export const styles: { light: string; dark: string; dash: number[]; mark: Mark; open: boolean }[] = [
  { light: '#0072B2', dark: '#3D9FE0', dash: [], mark: 'circle', open: false },
  { light: '#D55E00', dark: '#EE7733', dash: [4, 2], mark: 'square', open: false },
  { light: '#009E73', dark: '#1FBF94', dash: [5, 2, 1, 2], mark: 'triangle', open: false },
  { light: '#CC79A7', dark: '#DD94BB', dash: [1, 2], mark: 'upside', open: false },
  { light: '#E69F00', dark: '#F0B429', dash: [8, 3], mark: 'pentagon', open: false },
  { light: '#56B4E9', dark: '#8CCDF5', dash: [], mark: 'circle', open: true },
  { light: '#000000', dark: '#E8E8E8', dash: [4, 2], mark: 'square', open: true },
  { light: '#7F7F7F', dark: '#9A9A9A', dash: [], mark: 'triangle', open: true },
  { light: '#0072B2', dark: '#3D9FE0', dash: [1, 2], mark: 'square', open: true },
  { light: '#D55E00', dark: '#EE7733', dash: [], mark: 'circle', open: true },
  { light: '#009E73', dark: '#1FBF94', dash: [4, 2], mark: 'upside', open: true },
  { light: '#CC79A7', dark: '#DD94BB', dash: [], mark: 'triangle', open: true },
  { light: '#E69F00', dark: '#F0B429', dash: [1, 2], mark: 'circle', open: true },
  { light: '#56B4E9', dark: '#8CCDF5', dash: [5, 2, 1, 2], mark: 'pentagon', open: true },
  { light: '#000000', dark: '#E8E8E8', dash: [8, 3], mark: 'triangle', open: false },
  { light: '#7F7F7F', dark: '#9A9A9A', dash: [5, 2, 1, 2], mark: 'square', open: false },
];

// The style of each preset, a number of that list.
export const agentStyles = {
  'sfnec-plan': 0,
  'sfnec': 1,
  'sfnec-nogpi': 2,
  'nec': 3,
  'sfql': 4,
  'sfnec-plus': 5,
  'ql': 6,
  'sfnec-authors': 7,
};

// The objects of worlds, by their shape.
export const objects: Record<string, { light: string; dark: string }> = {
  circle: { light: '#E69F00', dark: '#F0B429' },
  square: { light: '#56B4E9', dark: '#8CCDF5' },
  triangle: { light: '#CC79A7', dark: '#DD94BB' },
  cross: { light: '#4D4D4D', dark: '#B0B0B0' },
  star: { light: '#F0E442', dark: '#F0E442' },
};

// Values from low to high.
export const stops = ['#8B6295', '#898BB5', '#7BABB9', '#76C9B3', '#ADE293', '#FEF078'];

export const font = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
