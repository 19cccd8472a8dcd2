/**
 * A contender runs programs in terminals that can be used from elsewhere: our product, and those it is compared with.
 */
import type { PathOptions } from '../paths/path.ts';
import type { Program, Terminal } from './terminal.ts';

export const CONTENDERS = [
  'pty',
  'ws',
  'agent',
  'switch',
  'direct',
  'holdfast',
  'ttyd',
  'ttyd+tmux',
] as const;
export type ContenderName = (typeof CONTENDERS)[number];

/** The titles in tables. */
export const TITLES: Readonly<Record<ContenderName, string>> = {
  pty: 'raw node-pty, in process',
  ws: 'node-pty + ws, one hop',
  agent: 'Holdfast’s agent alone, one hop',
  switch: 'node-pty + bare Durable Object switch',
  direct: 'Holdfast without its keeper',
  holdfast: 'Holdfast',
  ttyd: 'ttyd',
  'ttyd+tmux': 'ttyd + tmux',
};

export interface ContenderOptions {
  /** What the client does with output: count it, or parse it as a page does. */
  readonly client?: 'counting' | 'parsing';
  /** The path between client and server; loopback without it. */
  readonly path?: PathOptions;
  /** The limit of unacknowledged bytes in flight, where that can be chosen; unlimited without it. */
  readonly windowBytes?: number;
  /** Runs the relay on Miniflare, where its object can be put to sleep at will. */
  readonly evictable?: boolean;
}

/** Processor milliseconds that the serving side has used so far. */
export interface ServerCost {
  /** The threads that move bytes between terminal and socket. */
  readonly moverMs: number;
  /** Other threads of these processes: in ours, the screens. */
  readonly othersMs: number;
  readonly relayMs: number;
}

export interface Contender extends AsyncDisposable {
  readonly name: ContenderName;
  /** A program in a new terminal. Bare contenders have one at a time. */
  open(program: Program): Promise<Terminal>;
  cost(): ServerCost;
  /** Messages into the object so far; null without an object. */
  messages(): Promise<number | null>;
  /** Resolves when all printed output is processed; absent if that is immediate. */
  caughtUp?(): Promise<void>;
}

export const NO_COST: ServerCost = { moverMs: 0, othersMs: 0, relayMs: 0 };
