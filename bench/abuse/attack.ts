/** An attack that worked once. */
import type { AttackerTarget } from './scene.ts';

export interface Attack {
  readonly id: string;
  readonly what: string;
  /** Runs it as fast as one process can, until that process is stopped. */
  run(target: AttackerTarget): Promise<void>;
}
