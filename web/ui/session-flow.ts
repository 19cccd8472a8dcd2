/**
 * How a page comes to show one session, and what it does when that session ends.
 *
 *              agent online           list, perhaps create
 *   waiting ─────────────────► choosing ─────────────────► attached ──────► ended
 *      ▲                          │  ▲    missing: a fresh one │ exited,       │
 *      └──────────────────────────┤  └────────────────────────┘ closed        │
 *        connection or agent lost │  ◄────────────────────────────────────────┘ newTerminal(), or the agent
 *                                 │                                             lives again
 *                                 └─► failed: asking again would end the same way
 *
 * Only `waiting` leads to a list, so that a second connect during a pending flow starts no second one. [P20]
 */

import { Refusal } from '../../protocol/errors.ts';
import type { Size } from '../../protocol/frame.ts';
import { OFFLINE_INPUT_MAX_BYTES } from '../../protocol/limits.ts';
import type { SessionInfo } from '../../protocol/messages.ts';
import type { AttachedSession, SessionState } from '../client/attached-session.ts';
import type { WorkspaceClient } from '../client/workspace-client.ts';
import { chooseSession } from './choose-session.ts';
import type { SessionMemory } from './session-memory.ts';
import type { SizedScreen } from './sized-screen.ts';

export type FlowState =
  | { readonly name: 'waiting' }
  | { readonly name: 'choosing' }
  | {
      readonly name: 'attached';
      readonly info: SessionInfo;
      readonly session: AttachedSession;
      /** What the session was when we last looked: it tells "closed before our eyes" from "not there". */
      readonly seen: SessionState['name'];
    }
  | { readonly name: 'ended'; readonly info: SessionInfo; readonly sentence: string }
  | { readonly name: 'failed'; readonly sentence: string }
  | { readonly name: 'stopped' };

type Attached = Extract<FlowState, { name: 'attached' }>;

export interface FlowOptions {
  readonly client: WorkspaceClient;
  readonly screen: SizedScreen;
  readonly memory: SessionMemory;
  /** The size that fits the window. */
  readonly size: Size;
  readonly changed: () => void;
}

const FIRST_NAME = 'Terminal 1';

export class SessionFlow {
  readonly #options: FlowOptions;
  #stopListening: () => void = () => {};
  #size: Size;
  #early: number[] = [];
  #name: string;
  /** Whether there was a session before: then we are coming back and not starting. */
  #returning: boolean;
  #state: FlowState = { name: 'waiting' };

  constructor(options: FlowOptions) {
    const kept = options.memory.read();
    this.#options = options;
    this.#size = options.size;
    this.#name = kept?.name ?? FIRST_NAME;
    this.#returning = kept !== null;
  }

  start(): void {
    this.#stopListening = this.#options.client.onChange(() => this.#look());
    this.#look();
  }

  get state(): FlowState {
    return this.#state;
  }

  get name(): string {
    return this.#name;
  }

  get returning(): boolean {
    return this.#returning;
  }

  /** Whoever types drives; the agent sees to that. */
  type(bytes: Uint8Array): void {
    if (this.#state.name !== 'attached') {
      // Typed while the terminal is still being found: kept for it, a line or two.
      if (this.#early.length + bytes.length <= OFFLINE_INPUT_MAX_BYTES)
        this.#early = [...this.#early, ...bytes];
      return;
    }
    const { session } = this.#state;
    session.type(bytes);
  }

  /** The window has room for `size`. */
  fitted(size: Size): void {
    this.#size = size;
    const session = this.#state.name === 'attached' ? this.#state.session : null;
    session?.resize(size);
    // The size of a live terminal is the program's: it changes when the agent says so, in order with the output.
    if (session?.state.name !== 'live') this.#options.screen.resize(size);
  }

  /** A person asks for another terminal in the place of one that ended, or failed to come. */
  newTerminal(): void {
    if (this.#state.name === 'ended' || this.#state.name === 'failed')
      void this.#choose(() => this.#create());
  }

  stop(): void {
    this.#stopListening();
    const { client } = this.#options;
    if (this.#state.name === 'attached') client.detach(this.#state.session.id);
    this.#state = { name: 'stopped' };
  }

  // ── Inside ───────────────────────────────────────────────────────────────────────────────────────

  #look(): void {
    const { client, changed } = this.#options;
    const agent = client.state.name === 'live' ? client.state.agent : null;
    const state = this.#state;
    if (state.name === 'attached') this.#judge(state);
    else if (agent?.state === 'online') {
      if (state.name === 'waiting') void this.#choose(() => this.#findOrCreate());
      // An agent that is stopped ends its shells; when it is back, nobody should have to ask for another.
      if (state.name === 'ended' && state.info.epoch !== agent.epoch) void this.#choose(() => this.#create());
    }
    changed();
  }

  async #choose(choose: () => Promise<SessionInfo>): Promise<void> {
    this.#enter({ name: 'choosing' });
    try {
      const chosen = await choose();
      if (this.#state.name === 'choosing') this.#show(chosen);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (this.#state.name === 'choosing') this.#refused(error);
    }
  }

  async #findOrCreate(): Promise<SessionInfo> {
    const { client, memory } = this.#options;
    return chooseSession(memory.read(), await client.list()) ?? (await this.#create());
  }

  /** `replaces` makes it safe to ask twice: whoever replaces the same session gets the same new one. */
  #create(): Promise<SessionInfo> {
    const replaces = this.#options.memory.read()?.id;
    return this.#options.client.create({
      name: this.#name,
      ...this.#size,
      ...(replaces === undefined ? {} : { replaces }),
    });
  }

  #show(info: SessionInfo): void {
    const { client, memory, screen } = this.#options;
    memory.write(info);
    this.#name = info.name;
    this.#returning = true;
    screen.reset();
    const session = client.attach(info.id, this.#size, screen);
    this.#enter({ name: 'attached', info, session, seen: session.state.name });
    session.type(Uint8Array.from(this.#early.splice(0)));
  }

  /** An agent that went away comes back, and then everything is asked anew; other refusals stay. */
  #refused({ code, message }: Refusal): void {
    if (code !== 'agent_offline') return this.#enter({ name: 'failed', sentence: message });
    this.#enter({ name: 'waiting' });
    this.#look();
  }

  #judge(attached: Attached): void {
    const { info, seen, session } = attached;
    const { state } = session;
    if (state.name === 'exited') {
      this.#leave(session, { name: 'ended', info, sentence: exitSentence(state.exitCode, state.signal) });
    } else if (state.name === 'gone') {
      this.#leave(session, { name: 'choosing' });
      this.#lost(attached, new Refusal(state.code, state.why));
    } else if (state.name !== seen) {
      this.#state = { ...attached, seen: state.name };
    }
  }

  #lost({ info, seen }: Attached, why: Refusal): void {
    if (why.code !== 'session_missing') this.#refused(why);
    else if (seen !== 'live') void this.#choose(() => this.#create());
    else this.#enter({ name: 'ended', info, sentence: 'This terminal was closed elsewhere.' });
  }

  /** State first: detaching may call us back. */
  #leave(session: AttachedSession, next: FlowState): void {
    this.#enter(next);
    this.#options.client.detach(session.id);
  }

  #enter(next: FlowState): void {
    this.#state = next;
    this.#options.changed();
  }
}

function exitSentence(exitCode: number | null, signal: string | null): string {
  if (signal !== null) return `The shell has ended (${signal}).`;
  return exitCode === null ? 'The shell has ended.' : `The shell has ended (exit code ${exitCode}).`;
}
