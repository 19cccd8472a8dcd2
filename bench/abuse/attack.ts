/** An attack that worked once. */
import type { AttackerTarget } from './scene.ts';

export interface Attack {
  readonly id: string;
  readonly what: string;
  /** Whether the relay has machines of its owner, which takes a while the first time. */
  readonly needsFleet?: boolean;
  /** Runs it as fast as one process can, until that process is stopped. */
  run(target: AttackerTarget): Promise<void>;
}
