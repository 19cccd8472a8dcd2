/** The terminal's colours as the agent reports them to programs that ask. [OU18] */
import type { Theme } from '../../../protocol/messages/message-parts.ts';
import type { Look } from './look.ts';

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const BRIGHT = COLOURS.map((name) => `bright${name.charAt(0).toUpperCase()}${name.slice(1)}`);

/** Colours that a style sheet writes in any form other than `#rrggbb` are left out. */
export function toldTheme({ theme }: Look): Theme {
  const colours = theme as Readonly<Record<string, string | undefined>>;
  const told = (name: string) => {
    const colour = sixDigits(colours[name]);
    return colour === undefined ? {} : { [name]: colour };
  };
  const ansi = [...COLOURS, ...BRIGHT].flatMap((name) => sixDigits(colours[name]) ?? []);
  return {
    ...told('foreground'),
    ...told('background'),
    ...told('cursor'),
    ...(ansi.length === 16 ? { ansi } : {}),
  };
}

/** Expands `#fff`, to which a build may have shortened `#ffffff`. */
function sixDigits(colour = ''): string | undefined {
  const long = /^#[0-9a-f]{3}$/i.test(colour) ? colour.replace(/[^#]/g, '$&$&') : colour;
  return /^#[0-9a-f]{6}$/i.test(long) ? long : undefined;
}
