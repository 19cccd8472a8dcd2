/**
 * What a program has asked of the keyboard: the flags of the kitty keyboard protocol, and xterm's modifyOtherKeys.
 *
 *   CSI = flags ; how u     sets the flags: 1 exactly these, 2 these too, 3 without these
 *   CSI > flags u           saves the flags and sets others
 *   CSI < count u           returns to the flags before
 *   CSI > 4 ; level m       modifyOtherKeys; without a level, and with CSI > 4 n: off
 *
 * The normal and the alternate screen have flags of their own, so that an editor need not know those of the shell.
 * Both the agent's terminal and the page's use this, so that they agree. Queries are answered by the agent alone.
 */
import { KEY_FLAGS_MAX_SETS } from '../../limits.ts';

export const KEY_FLAG = {
  /** Keys that send the same as others, or the beginning of a sequence, send a sequence of their own. */
  disambiguate: 1,
  /** Repeated and released keys are told apart from pressed ones. */
  eventTypes: 2,
  /** The key with Shift, and the one at the same place of a US keyboard, are sent too. */
  alternates: 4,
  /** Keys that type text send sequences too, and so do Shift and the like. */
  allKeys: 8,
  /** Such a sequence has the text in it. */
  text: 16,
} as const;

const ALL_FLAGS = 31;

const OTHER_KEYS = 4;

/** 0: off. 1: keys that have no code of their own. 2: all keys with a modifier. */
export type OtherKeysLevel = 0 | 1 | 2;

const isLevel = (level: number): level is OtherKeysLevel => level >= 0 && level <= 2;

/** The flags of one screen: those in use last, before them those that were saved. There is always one. */
export type FlagStack = readonly number[];

const UNASKED: FlagStack = [0];

/** The state, for code that writes it. */
export interface KeyState {
  readonly normal: FlagStack;
  readonly alternate: FlagStack;
  readonly otherKeys: OtherKeysLevel;
}

export class KeyModes {
  readonly #isAlternate: () => boolean;
  #state: KeyState = { normal: UNASKED, alternate: UNASKED, otherKeys: 0 };

  constructor(isAlternate: () => boolean) {
    this.#isAlternate = isAlternate;
  }

  /** Immutable. */
  get state(): KeyState {
    return this.#state;
  }

  /** Those of the screen that is shown. */
  get flags(): number {
    return this.#stack.at(-1) ?? 0;
  }

  get otherKeys(): OtherKeysLevel {
    return this.#state.otherKeys;
  }

  set(flags: number, how: number): void {
    const known = flags & ALL_FLAGS;
    if (how < 1 || how > 3) return;
    const changed = how === 1 ? known : how === 2 ? this.flags | known : this.flags & ~known;
    this.#stack = [...this.#stack.slice(0, -1), changed];
  }

  /** If too many are saved, the oldest are forgotten. */
  push(flags: number): void {
    this.#stack = [...this.#stack, flags & ALL_FLAGS].slice(-KEY_FLAGS_MAX_SETS);
  }

  /** If no more are saved, the flags are reset. */
  pop(count: number): void {
    const rest = this.#stack.slice(0, Math.max(0, this.#stack.length - count));
    this.#stack = rest.length === 0 ? UNASKED : rest;
  }

  setOtherKeys(level: number): void {
    if (isLevel(level)) this.#state = { ...this.#state, otherKeys: level };
  }

  reset(): void {
    this.#state = { normal: UNASKED, alternate: UNASKED, otherKeys: 0 };
  }

  get #stack(): FlagStack {
    return this.#isAlternate() ? this.#state.alternate : this.#state.normal;
  }

  set #stack(stack: FlagStack) {
    this.#state = { ...this.#state, [this.#isAlternate() ? 'alternate' : 'normal']: stack };
  }
}

/** A sequence with its parameters; an absent one is 0. */
export interface KeySequence {
  readonly prefix: string;
  readonly final: string;
  readonly parameters: readonly number[];
}

/** False: it is not about the keyboard. */
export function applyKeySequence(modes: KeyModes, { prefix, final, parameters }: KeySequence): boolean {
  const [first = 0, second = 0] = parameters;
  switch (prefix + final) {
    case '=u':
      modes.set(first, second || 1);
      return true;
    case '>u':
      modes.push(first);
      return true;
    case '<u':
      modes.pop(first || 1);
      return true;
    case '>m':
      if (first === OTHER_KEYS) modes.setOtherKeys(second);
      // Without any parameter it resets this and others of its kind, which we do not have.
      else if (first === 0 && parameters.length <= 1) modes.setOtherKeys(0);
      return true;
    case '>n':
      if (first === OTHER_KEYS) modes.setOtherKeys(0);
      return true;
    default:
      return false;
  }
}

/** Prefix and final byte of the sequences above. */
const KEY_SEQUENCES = ['=u', '>u', '<u', '>m', '>n'] as const;

/** The sequences that make the fresh flags of a screen these. */
export function writtenFlags([first = 0, ...saved]: FlagStack): string {
  return (first === 0 ? '' : `\x1b[=${first}u`) + saved.map((flags) => `\x1b[>${flags}u`).join('');
}

export function writtenOtherKeys(level: OtherKeysLevel): string {
  return level === 0 ? '' : `\x1b[>${OTHER_KEYS};${level}m`;
}

/** The parts of xterm that are used here, in the page or headless. */
export interface KeyedCore {
  readonly buffers: { readonly active: unknown; readonly alt: unknown };
  registerCsiHandler(
    id: { readonly prefix?: string; readonly intermediates?: string; readonly final: string },
    handle: (parameters: { readonly params: Int32Array; readonly length: number }) => boolean,
  ): void;
  registerEscHandler(id: { readonly final: string }, handle: () => boolean): void;
}

/** What the programs of this terminal ask of the keyboard. */
export function keyModesOf(core: KeyedCore): KeyModes {
  const modes = new KeyModes(() => core.buffers.active === core.buffers.alt);
  for (const id of KEY_SEQUENCES) {
    const [prefix, final] = [id.charAt(0), id.charAt(1)];
    core.registerCsiHandler({ prefix, final }, ({ params, length }) =>
      applyKeySequence(modes, { prefix, final, parameters: [...params.subarray(0, length)] }),
    );
  }
  const reset = () => {
    modes.reset();
    return false;
  };
  core.registerCsiHandler({ intermediates: '!', final: 'p' }, reset);
  core.registerEscHandler({ final: 'c' }, reset);
  return modes;
}

/** The answers to `CSI ? u` and `CSI ? 4 m`. */
export const flagsReport = (modes: KeyModes): string => `\x1b[?${modes.flags}u`;
export const otherKeysReport = (modes: KeyModes): string => `\x1b[>${OTHER_KEYS};${modes.otherKeys}m`;
export const isOtherKeysQuery = (parameter: unknown): boolean => parameter === OTHER_KEYS;
