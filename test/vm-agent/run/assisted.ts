/** A session of a fake program, as assistants see it. What the system tells of its foreground is up to the test. */
import { Refusal } from '../../../protocol/errors.ts';
import type { RunState } from '../../../protocol/messages/run-state.ts';
import type { ForegroundLook } from '../../../vm-agent/pty/foreground-look.ts';
import type { AssistedSession } from '../../../vm-agent/run/assisted-session.ts';
import { SessionAssist } from '../../../vm-agent/run/session-assist.ts';
import { SessionInput } from '../../../vm-agent/terminal/session-input.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakePty } from '../../support/fake-pty.ts';

const SPEC = { command: 'sh', args: [], cwd: '/', env: {}, size: { cols: 80, rows: 24 } };

/** A shell without our script that reads its terminal. */
export const AT_PROMPT: ForegroundLook = { program: 'sh', isOwn: true, isShell: true, reads: true };

export class Assisted {
  readonly clock = new FakeClock();
  readonly pty = new FakePty(SPEC, { output() {}, exited() {} });
  look: ForegroundLook | null = AT_PROMPT;
  waiting: string | null = null;
  /** How often the system was asked. */
  readonly asked = { look: 0, waiting: 0 };
  signals: string[] = [];
  readonly assist: SessionAssist;
  #printed = '';

  constructor() {
    const input = new SessionInput(this.pty, this.clock);
    const world = this;
    const session: AssistedSession = {
      ...{ marksNonce: 'secret', input, hasExited: false, isAdopted: false, ageMs: 60_000, program: 'sh' },
      ...{ isAtPrompt: undefined, prompts: 0, running: null, start: 0 },
      get end() {
        return world.#printed.length;
      },
      read: (from, to) => Buffer.from(this.#printed.slice(from, to)),
      draw: async (bytes) => Buffer.from(bytes).toString(),
      cwd: () => '/',
      look: () => {
        this.asked.look++;
        return this.look;
      },
      waiting: async () => {
        this.asked.waiting++;
        return this.waiting;
      },
      signal: (name) => this.signals.push(name) > 0,
      touched() {},
      store() {},
    };
    this.assist = new SessionAssist({ session, clock: this.clock, saved: undefined, keyboardChanged() {} });
  }

  async prints(text: string): Promise<void> {
    const from = this.#printed.length;
    this.#printed += text;
    this.assist.printed(from, Buffer.from(text));
    await this.settle();
  }

  /** Asks for a command. The answer is its state and exit code, or the code of a refusal. */
  runs(command: string, act: string, { waitMs = 60_000, connection = 'c' } = {}): { answer: string | null } {
    const asked: { answer: string | null } = { answer: null };
    const assistant = { id: 'codex', name: 'Codex' };
    this.assist.run({ assistant, connection, act, waitMs }, command).then(
      ({ state, exitCode, program }: RunState) => {
        asked.answer = `${state} ${exitCode}${program === undefined ? '' : ` ${program}`}`;
      },
      (error: unknown) => {
        asked.answer = error instanceof Refusal ? error.code : String(error);
      },
    );
    return asked;
  }

  async types(text: string, act: string): Promise<void> {
    const assistant = { id: 'codex', name: 'Codex' };
    const typed = this.assist.type({ assistant, connection: 'c', act, waitMs: 1000 }, text, false);
    await this.settle();
    await typed;
  }

  /** The marks of the command that was typed last, with their nonce. */
  get marks(): { begin: string; end: (code: number) => string } {
    const nonce = [...this.pty.typed.matchAll(/133;C;nonce=%s\S* (\S+);/g)].at(-1)?.[1] ?? '';
    return {
      begin: `\x1b]133;C;nonce=${nonce}\x1b\\`,
      end: (code) => `\x1b]133;D;${code};nonce=${nonce}\x1b\\`,
    };
  }

  async waits(ms: number): Promise<void> {
    for (let at = 0; at < ms; at += 25) {
      this.clock.advance(25);
      await this.settle();
    }
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 40; turn++) await Promise.resolve();
  }
}
