/** An agent with one session whose shell is at its prompt, and assistants, people and scripts that type into it. */
import type { ClientMessage, ClientMessageOf } from '../../../protocol/messages/client-message.ts';
import type { ServerMessage } from '../../../protocol/messages/server-message.ts';
import { pasted } from '../../../vm-agent/keyboard/paste-mode.ts';
import { ScriptedRelay, SIZE } from './scripted-relay.ts';

export const PROMPT = '\x1b]133;A;nonce=ours\x07\x1b[?2004h$ ';
export const C = '\x1b]133;C;nonce=ours;n=1\x07';
export const D = '\x1b]133;D;3;nonce=ours;n=1\x07';

/** More than is typed at once. */
export const LONG = `: ${'word '.repeat(700)}`;
export const LONG_TYPED = `${pasted(LONG.trim())}\r`;

export const PERSON = 9;
export const SCRIPT = 8;

export class Desk extends ScriptedRelay {
  readonly session: string;

  constructor() {
    super();
    this.agent.linkOpened();
    this.session = this.agent.sessions.create({ size: SIZE, marksNonce: 'ours' }).identity.id;
    this.pty.prints(PROMPT);
    this.clear();
  }

  /** A request of a client whom the relay knows by name. */
  async asksAs(channel: number, name: string | undefined, message: ClientMessage): Promise<void> {
    const from = name === undefined ? {} : { name };
    this.agent.received(JSON.stringify({ type: 'from_client', channel, role: 'operator', ...from, message }));
    await this.settle();
  }

  runs(channel: number, more: Partial<ClientMessageOf<'run_command'>> = {}): Promise<void> {
    const { session } = this;
    const request = more.request ?? `r${channel}`;
    return this.asksAs(channel, undefined, {
      ...{ type: 'run_command', request, session, act: 'act', command: 'ls', waitMs: 60_000 },
      ...more,
    });
  }

  typesText(channel: number, text: string, more: Partial<ClientMessageOf<'type_text'>> = {}): Promise<void> {
    const { session } = this;
    return this.asksAs(channel, undefined, {
      ...{ type: 'type_text', request: `t${channel}`, session, act: `type-${channel}`, text },
      ...more,
    });
  }

  /** Attaches a client with a window, and follows the session. */
  async attachesAs(channel: number, name: string, isScript = false): Promise<number> {
    const { session } = this;
    const instance = `instance-${channel}`;
    const more = { instance, ...SIZE, describe: true, isScript };
    await this.asksAs(channel, name, { type: 'reattach_session', request: 'a', session, ...more });
    return this.last('session_reattached').handle;
  }

  async prints(text: string): Promise<void> {
    this.pty.prints(text);
    await this.settle();
  }

  async waits(ms: number): Promise<void> {
    // In steps, so that whoever looks again and again does so.
    for (let at = 0; at < ms; at += 25) {
      this.clock.advance(Math.min(25, ms - at));
      await this.settle();
    }
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await this.settled();
  }

  /** What each client was answered: its channel and the state of the run, or the code of a refusal. */
  get answers(): string[] {
    return this.sent.flatMap((item) => {
      if (!('type' in item) || item.type !== 'to_client') return [];
      const text = answerOf(item.message);
      return text === null ? [] : [`${item.channel} ${text}`];
    });
  }

  get keyboards(): string[] {
    return this.told.flatMap((message) => {
      if (message.type !== 'session_described') return [];
      return message.keyboard === undefined ? 'free' : `${message.keyboard.kind} ${message.keyboard.name}`;
    });
  }

  drops(channel: number): void {
    this.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel }));
  }
}

function answerOf(message: ServerMessage): string | null {
  switch (message.type) {
    case 'run_state': {
      const { state, exitCode, by } = message.run;
      return `${state} ${by ?? exitCode}`;
    }
    case 'text_typed':
      return 'typed';
    case 'error':
      return message.code;
    default:
      return null;
  }
}
