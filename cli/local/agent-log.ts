/**
 * Reads the log of the agent that `npm start` runs, and of its keeper, and prints warnings and errors as sentences. The
 * same sentence is not repeated until another one was printed.
 */
import { CLOSE, closeSentence } from '../../protocol/close-codes.ts';
import { type Fields, fieldsOf, readableLine } from './log-line.ts';

/** Longer than any line the agent writes. */
const LINE_MAX_CHARS = 16_384;

export class AgentLog {
  readonly #say: (line: string) => void;
  #rest = '';
  #trouble: string | null = null;
  #isReplaced = false;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** The last reported reason why the agent is not connected; null when it gave none or is connected. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Whether the agent ended because another one has taken over the workspace. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-LINE_MAX_CHARS);
    for (const line of lines) if (line !== '') this.#line(line);
  }

  #line(line: string): void {
    const fields = fieldsOf(line);
    if (fields?.event === 'link') return this.#link(fields);
    if (fields?.event === 'agent_ended') return this.#say(restartSentence(fields));
    if (fields?.event === 'started_with_less') return this.#say(`${fields.why}`);
    const readable = readableLine('agent', line);
    if (readable !== null) this.#say(readable);
  }

  #link({ state, code, reason }: Fields): void {
    if (state === 'open' && this.#trouble !== null) {
      this.#trouble = null;
      this.#say('The agent is connected.');
    }
    if (state === 'closed' && code === CLOSE.replaced) this.#isReplaced = true;
    if (state !== 'waiting') return;
    const why = typeof reason === 'string' && reason !== '' ? reason : closeSentence(Number(code));
    if (why === this.#trouble) return;
    this.#trouble = why;
    this.#say(`The agent is not connected: ${why}`);
  }
}

function restartSentence({ how }: Fields): string {
  return `The agent has ended (${how}) and is restarted. Its shells keep running, and pages reconnect by themselves.`;
}
