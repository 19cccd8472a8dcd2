/** A program that ends around a fault, on a client without faults of its own: its last line and its exit code must be told. */

import type { HeadlessClient } from '../support/headless-client.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

const SIZE = { cols: 80, rows: 24 };

/** Ends before, during or after most faults. */
const ENDS_WITHIN_MS = 2_000;

/** Exit codes of a program; higher ones mean signals to a shell. */
const CODE_MAX = 125;

export interface Ending {
  readonly exitCode: number | null;
  readonly text: string;
}

export class EndingProgram {
  readonly #client: HeadlessClient;
  readonly #id: string;
  readonly #code: number;
  readonly #hasEnded: Promise<Ending>;

  private constructor(client: HeadlessClient, id: string, code: number) {
    this.#client = client;
    this.#id = id;
    this.#code = code;
    const { session, screen } = client.attach(id);
    this.#hasEnded = client
      .until(() => session.state.name === 'exited')
      // The end is known once everything has arrived; a terminal draws a moment later.
      .then(() => screen.drawn())
      .then(() => ({
        exitCode: session.state.name === 'exited' ? session.state.exitCode : null,
        text: screen.text,
      }));
  }

  static async start(client: HeadlessClient, random: SeededRandom): Promise<EndingProgram> {
    const code = random.int(0, CODE_MAX);
    const seconds = random.int(0, ENDS_WITHIN_MS) / 1000;
    const script = `sleep ${seconds}; echo last-line-${code}; exit ${code}`;
    const { id } = await client.client.create({ ...SIZE, command: 'sh', args: ['-c', script] });
    return new EndingProgram(client, id, code);
  }

  /** Resolves with what was told wrongly about its end, if anything. */
  async violations(): Promise<readonly string[]> {
    const found = endingViolations(await this.#hasEnded, this.#code);
    await this.#client.client.close(this.#id);
    return found;
  }
}

export function endingViolations({ exitCode, text }: Ending, code: number): string[] {
  return [
    ...(exitCode === code
      ? []
      : [`a program that ended with ${code} was told to have ended with ${exitCode}`]),
    ...(text === `last-line-${code}`
      ? []
      : [`a program printed last-line-${code}, and ${JSON.stringify(text)} was shown`]),
  ];
}
