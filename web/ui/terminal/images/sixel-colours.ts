/** Colours of sixel images, as words of RGBA in the order of bytes that canvases have. */
/** The first sixteen of a VT340, in percent. Programs define what they use. */
const VT340 = [
  ...[0, 0, 0, 20, 20, 80, 80, 13, 13, 20, 80, 20, 80, 20, 80, 20, 80, 80, 80, 80, 20, 53, 53, 53],
  ...[26, 26, 26, 33, 33, 60, 60, 26, 26, 33, 60, 33, 60, 33, 60, 33, 60, 60, 60, 60, 33, 80, 80, 80],
];

export function defaultColours(count: number): Uint32Array {
  const colours = new Uint32Array(count).fill(rgbColour(0, 0, 0));
  for (let at = 0; at < VT340.length / 3; at++) {
    const [red = 0, green = 0, blue = 0] = VT340.slice(3 * at, 3 * at + 3);
    colours[at] = rgbColour(red, green, blue);
  }
  return colours;
}

/** In percent. */
export function rgbColour(red: number, green: number, blue: number): number {
  return ((255 << 24) | (byteOf(blue) << 16) | (byteOf(green) << 8) | byteOf(red)) >>> 0;
}

function byteOf(percent: number): number {
  return Math.round((Math.min(100, percent) * 255) / 100);
}

/** The hue in degrees, where 0 is blue; lightness and saturation in percent. */
export function hlsColour(hue: number, lightness: number, saturation: number): number {
  const [light, full] = [Math.min(100, lightness) / 100, Math.min(100, saturation) / 100];
  const chroma = (1 - Math.abs(2 * light - 1)) * full;
  const part = (shift: number) => {
    const turn = ((hue + 240 + shift) % 360) / 60;
    const strength = Math.min(1, Math.max(0, Math.abs(turn - 3) - 1));
    return 100 * (light + chroma * (strength - 0.5));
  };
  return rgbColour(part(0), part(240), part(120));
}
