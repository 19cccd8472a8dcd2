/**
 * How programs call a person: OSC 9 (iTerm2), OSC 777 (rxvt) and OSC 99 (kitty), whose title and body may come in
 * parts. The bell is a notice too, but comes from xterm.
 */
import type { IParser } from '@xterm/headless';
import { ATTENTION_TEXT_MAX_CHARS } from '../../../protocol/limits.ts';
import { printable } from '../../../protocol/printable.ts';

export interface Notice {
  /** What the program says; empty for a bell. */
  readonly text: string;
  /** The program wants nothing but to be noticed: it has marked the notice as of low urgency. */
  readonly isLow: boolean;
}

/** Of a title or a body, while its parts come in. What is shown of both is less. */
const PART_MAX_CHARS = 2 * ATTENTION_TEXT_MAX_CHARS;

/** ConEmu's commands begin with a number, progress (4) among them; iTerm's messages do not. */
const COMMAND = /^\d{1,2}(;|$)/;

export function noticeIn9(payload: string): Notice | null {
  return COMMAND.test(payload) ? null : noticeOf([payload]);
}

/** `notify;title;body`; the body may contain semicolons. */
export function noticeIn777(payload: string): Notice | null {
  const [, title = '', body = ''] = /^notify;([^;]*)(?:;(.*))?$/s.exec(payload) ?? [];
  return noticeOf([title, body]);
}

function noticeOf(parts: readonly string[], isLow = false): Notice | null {
  const text = printable(
    parts
      .map((part) => printable(part, ATTENTION_TEXT_MAX_CHARS))
      .filter((part) => part !== '')
      .join(': '),
    ATTENTION_TEXT_MAX_CHARS,
  );
  return text === '' ? null : { text, isLow };
}

interface Unfinished {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** Joins the parts of OSC 99: `key=value:key=value;payload`. Only one notice is unfinished at a time. */
export class KittyNotices {
  #unfinished: Unfinished | null = null;

  read(payload: string): Notice | null {
    const [, keys, text] = /^([^;]{0,1024});(.*)$/s.exec(payload) ?? [];
    if (keys === undefined || text === undefined) return null;
    const {
      i: id = '',
      d: done = '1',
      p: kind = 'title',
      e: encoding = '0',
      u: urgency = '1',
    } = pairsOf(keys);
    if (kind !== 'title' && kind !== 'body') return null;
    const before = this.#unfinished?.id === id ? this.#unfinished : { id, title: '', body: '' };
    const part = `${before[kind]}${encoding === '1' ? decoded(text) : text}`.slice(0, PART_MAX_CHARS);
    const all = { ...before, [kind]: part };
    this.#unfinished = done === '0' ? all : null;
    return done === '0' ? null : noticeOf([all.title, all.body], urgency === '0');
  }
}

function pairsOf(keys: string): Record<string, string | undefined> {
  return Object.fromEntries(keys.split(':').map((pair) => [pair.slice(0, 1), /^.=(.*)$/.exec(pair)?.[1]]));
}

function decoded(base64: string): string {
  return Buffer.from(base64.slice(0, 4 * PART_MAX_CHARS), 'base64').toString();
}

/** Tells what programs say. Other handlers of the same numbers see the sequences too. */
export function listenForNotices(parser: IParser, tell: (notice: Notice) => void): void {
  const kitty = new KittyNotices();
  const listen = (number: number, read: (payload: string) => Notice | null) =>
    parser.registerOscHandler(number, (payload) => {
      const notice = read(payload);
      if (notice !== null) tell(notice);
      return false;
    });
  listen(9, noticeIn9);
  listen(777, noticeIn777);
  listen(99, (payload) => kitty.read(payload));
}
