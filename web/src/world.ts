// world.ts: a world from above with an agent in it, on a canvas: the replays of the report and the playground draw by this.
import { h } from './dom';
import { css, objectColour, ramp, tracePath } from './theme';

export interface World {
  walls: [number, number, number, number][]; // left, bottom, right, top; all lies in the unit square, y upwards
  goal: { x: number; y: number; radius: number } | null;
  objects: { x: number; y: number; class: number }[];
  glyphs: string[]; // the shapes of the classes
}

// What is drawn in it besides; what is left out is not drawn.
export interface Picture {
  x: number;
  y: number;
  taken: (object: number) => boolean;
  heat?: CanvasImageSource | null; // the values of positions
  smooth?: boolean; // between positions
  memories?: number[][]; // x, y, and perhaps the share in the present value
  places?: number[][]; // of a model: x, y, and 1 where some action was never tried
  trail?: { x: number; y: number; colour?: string }[]; // the positions before, and the colour of the way to each
  path?: number[]; // x, y after each of the next steps
}

// Draws over the whole canvas, `side` units of CSS wide and high.
export function drawWorld(canvas: HTMLCanvasElement, side: number, world: World, picture: Picture): void {
  const pixels = Math.round(side * Math.max(1, window.devicePixelRatio || 1)), px = 1 / side;
  if (canvas.width !== pixels) canvas.width = canvas.height = pixels;
  canvas.style.width = canvas.style.height = `${side}px`;
  const c = canvas.getContext('2d')!;
  c.setTransform(pixels, 0, 0, -pixels, 0, pixels);
  drawGround(c, world, picture, pixels, px);
  drawSpots(c, picture, px);
  drawObjects(c, world, picture, px);
  drawAgent(c, picture, px);
}

function drawGround(c: CanvasRenderingContext2D, world: World, picture: Picture, pixels: number, px: number): void {
  c.fillStyle = css('--room');
  c.fillRect(0, 0, 1, 1);
  if (picture.heat) {
    c.imageSmoothingEnabled = picture.smooth ?? false;
    c.save();
    c.transform(1, 0, 0, -1, 0, 1);
    c.drawImage(picture.heat, 0, 0, 1, 1);
    c.restore();
  }
  if (world.goal) {
    c.fillStyle = c.strokeStyle = css('--goal');
    c.lineWidth = 2 * px;
    c.beginPath();
    c.arc(world.goal.x, world.goal.y, world.goal.radius, 0, 2 * Math.PI);
    c.globalAlpha = 0.35;
    c.fill();
    c.globalAlpha = 1;
    c.stroke();
  }
  // on whole pixels, so that walls that touch show no seam
  const snap = (at: number) => Math.round(at * pixels) / pixels;
  c.fillStyle = css('--wall');
  for (const [x0, y0, x1, y1] of world.walls) c.fillRect(snap(x0), snap(y0), snap(x1) - snap(x0), snap(y1) - snap(y0));
}

function drawSpots(c: CanvasRenderingContext2D, picture: Picture, px: number): void {
  const dot = (x: number, y: number, size: number) => c.fillRect(x - (size / 2) * px, y - (size / 2) * px, size * px, size * px);
  c.fillStyle = css('--memory');
  for (const [x, y, share] of picture.memories ?? []) dot(x, y, share === undefined ? 2.5 : 2.5 + 9 * Math.sqrt(share));
  const [known, frontier] = [css('--memory'), css('--agent')];
  for (const [x, y, open] of picture.places ?? []) {
    c.fillStyle = open ? frontier : known;
    dot(x, y, 2.5);
  }
}

// objects by the shape of their class; those that were taken are hollow
function drawObjects(c: CanvasRenderingContext2D, world: World, picture: Picture, px: number): void {
  c.lineWidth = 1.5 * px;
  c.strokeStyle = css('--outline');
  world.objects.forEach((o, i) => {
    const shape = world.glyphs[o.class], taken = picture.taken(i);
    tracePath(c, shape, o.x, o.y, 0.02, -1);
    c.fillStyle = objectColour(shape);
    c.globalAlpha = taken ? 0.35 : 1;
    if (!taken) c.fill();
    c.stroke();
    c.globalAlpha = 1;
  });
}

function drawTrail(c: CanvasRenderingContext2D, trail: NonNullable<Picture['trail']>, px: number): void {
  c.lineJoin = c.lineCap = 'round';
  for (const [style, width] of [[css('--outline'), 4], [css('--trail'), 2]] as const) {
    c.lineWidth = width * px;
    c.strokeStyle = style;
    c.beginPath();
    trail.forEach(({ x, y, colour }, i) => {
      c.lineTo(x, y);
      // ways of one colour are one line; the outline is one in any case
      const next = trail[i + 1]?.colour;
      if (width === 4 || next === colour || i === 0) return;
      c.strokeStyle = colour ?? style;
      c.stroke();
      c.beginPath();
      c.moveTo(x, y);
    });
    if (width === 2) c.strokeStyle = trail[trail.length - 1]?.colour ?? style;
    c.stroke();
  }
}

function drawAgent(c: CanvasRenderingContext2D, picture: Picture, px: number): void {
  const { x, y, path } = picture;
  if (picture.trail) drawTrail(c, picture.trail, px);
  if (path?.length) {
    c.strokeStyle = css('--agent');
    c.lineWidth = 1.5 * px;
    c.beginPath();
    c.moveTo(x, y);
    for (let i = 0; i < path.length; i += 2) c.lineTo(path[i], path[i + 1]);
    c.stroke();
  }
  // a ring around a dot: like no object
  for (const [style, radius] of [[css('--outline'), 0.03], [css('--trail'), 0.025], [css('--agent'), 0.016]] as const) {
    c.fillStyle = style;
    c.beginPath();
    c.arc(x, y, radius, 0, 2 * Math.PI);
    c.fill();
  }
}

// The value of each position as a small picture, to be stretched over the room; null if none is known. On a canvas of its
// own, or again on the one that is given.
export function paintHeat(columns: number, rows: number, values: ArrayLike<number | null>, canvas = h('canvas')): HTMLCanvasElement | null {
  const known = (i: number) => values[i] !== null && !Number.isNaN(values[i]);
  let low = Infinity, high = -Infinity;
  for (let i = 0; i < values.length; i++) if (known(i)) (low = Math.min(low, values[i]!)), (high = Math.max(high, values[i]!));
  if (low > high) return null;
  // a position in a wall takes the value of one beside it: its colour reaches below the wall's edge
  const near = (i: number): number | null => {
    const x = i % columns, y = Math.floor(i / columns);
    for (let reach = 0; reach <= 3; reach++)
      for (let dy = -reach; dy <= reach; dy++)
        for (let dx = -reach; dx <= reach; dx++) {
          const at = (y + dy) * columns + x + dx;
          if (x + dx >= 0 && x + dx < columns && y + dy >= 0 && y + dy < rows && known(at)) return values[at];
        }
    return null;
  };
  canvas.width = columns;
  canvas.height = rows;
  const c = canvas.getContext('2d')!, image = c.createImageData(columns, rows);
  for (let i = 0; i < values.length; i++) {
    const value = near(i);
    if (value === null) continue;
    // values go up from the bottom row, pictures down from the top one
    const at = 4 * ((rows - 1 - Math.floor(i / columns)) * columns + (i % columns));
    image.data.set([...ramp(high > low ? (value - low) / (high - low) : 0), 255], at);
  }
  c.putImageData(image, 0, 0);
  return canvas;
}
