/**
 * The colours of a terminal: the driver's theme, and the changes made by programs (OSC 4, 10, 11, 12). Answers programs
 * that query a colour.
 */
import type { Theme } from '../../../protocol/messages/message-parts.ts';
import type { XtermColorRequest } from './xterm.ts';

/** Whether text is light on a dark background, or dark on a light one. */
export type Scheme = 'dark' | 'light';

type Rgb = readonly [red: number, green: number, blue: number];

const FOREGROUND = 256;
const BACKGROUND = 257;
const CURSOR = 258;
/** OSC number that sets and queries each special colour. */
const SPECIAL: Readonly<Record<number, number>> = { [FOREGROUND]: 10, [BACKGROUND]: 11, [CURSOR]: 12 };

const DEFAULT_ANSI = (
  '#2e3436 #cc0000 #4e9a06 #c4a000 #3465a4 #75507b #06989a #d3d7cf ' +
  '#555753 #ef2929 #8ae234 #fce94f #729fcf #ad7fa8 #34e2e2 #eeeeec'
).split(' ');

export class Palette {
  #theme: ReadonlyMap<number, Rgb>;
  readonly #changed = new Map<number, Rgb>();

  /** Colours missing from a theme are xterm's defaults. */
  constructor(theme: Theme = {}) {
    this.#theme = themeColors(theme);
  }

  setTheme(theme: Theme): void {
    this.#theme = themeColors(theme);
  }

  /** The theme's; a program that changes a colour for itself does not change it. */
  get scheme(): Scheme {
    return schemeOf(this.#theme);
  }

  /** A copy that later changes do not affect. */
  copy(): Palette {
    const copy = new Palette();
    copy.#theme = this.#theme;
    for (const [index, color] of this.#changed) copy.#changed.set(index, color);
    return copy;
  }

  /** Applies a program's requests; returns the replies to send. */
  handle(requests: readonly XtermColorRequest[]): string {
    return requests.map((request) => this.#handleOne(request)).join('');
  }

  /** `#rrggbb` of one of the 256 colours, the foreground (256) or the background (257). */
  css(index: number): string {
    const hex = (value: number) => value.toString(16).padStart(2, '0');
    return `#${this.#color(index).map(hex).join('')}`;
  }

  /** The sequences that apply the programs' changes to a fresh terminal. */
  changes(): string {
    return [...this.#changed].map(([index, color]) => sequence(index, color)).join('');
  }

  #handleOne({ type, index, color }: XtermColorRequest): string {
    if (type === 0 && index !== undefined) return sequence(index, this.#color(index));
    if (type === 1 && index !== undefined && color !== undefined) this.#changed.set(index, [...color]);
    if (type === 2) this.#restore(index);
    return '';
  }

  #restore(index: number | undefined): void {
    if (index !== undefined) this.#changed.delete(index);
    else
      for (const changed of [...this.#changed.keys()])
        if (changed < FOREGROUND) this.#changed.delete(changed);
  }

  #color(index: number): Rgb {
    return this.#changed.get(index) ?? this.#theme.get(index) ?? cubeColor(index);
  }
}

/** `rgb:` with 16 bits per channel is what xterm has always replied, and every program reads it. */
function sequence(index: number, color: Rgb): string {
  const hex = color.map((value) => value.toString(16).padStart(2, '0').repeat(2)).join('/');
  const special = SPECIAL[index];
  return special === undefined ? `\x1b]4;${index};rgb:${hex}\x1b\\` : `\x1b]${special};rgb:${hex}\x1b\\`;
}

function themeColors({ foreground, background, cursor, ansi }: Theme): ReadonlyMap<number, Rgb> {
  const colors = new Map<number, Rgb>();
  DEFAULT_ANSI.forEach((fallback, index) => {
    colors.set(index, parseHex(ansi?.[index]) ?? parseHex(fallback) ?? [0, 0, 0]);
  });
  colors.set(FOREGROUND, parseHex(foreground) ?? [255, 255, 255]);
  colors.set(BACKGROUND, parseHex(background) ?? [0, 0, 0]);
  colors.set(CURSOR, parseHex(cursor) ?? parseHex(foreground) ?? [255, 255, 255]);
  return colors;
}

function parseHex(text: string | undefined): Rgb | undefined {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text ?? '');
  return match === null ? undefined : [hexByte(match[1]), hexByte(match[2]), hexByte(match[3])];
}

function hexByte(digits: string | undefined): number {
  return Number.parseInt(digits ?? '0', 16);
}

/** Colours 16 to 231 are a cube with six levels, 232 to 255 a ramp of greys. */
function cubeColor(index: number): Rgb {
  if (index >= 232) return [8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10];
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

/** The scheme of a theme; one without colours has xterm's default ones. */
export function schemeOfTheme(theme: Theme): Scheme {
  return schemeOf(themeColors(theme));
}

function schemeOf(colors: ReadonlyMap<number, Rgb>): Scheme {
  return brightness(colors.get(BACKGROUND)) > brightness(colors.get(FOREGROUND)) ? 'light' : 'dark';
}

/** As the eye sees it: green is brighter than red, and red brighter than blue. */
function brightness([red, green, blue]: Rgb = [0, 0, 0]): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
