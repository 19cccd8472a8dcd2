/** A participant whose network fails: a client with its own session, behind its own proxy. */
import type { ChaosProxy } from '../support/chaos-proxy.ts';
import type { Typist } from './typist.ts';

export interface Participant {
  readonly name: string;
  readonly leg: ChaosProxy;
  readonly typist: Typist;
  /** Resolves when it shows everything that `everybody` got as answers. */
  isUpToDate(everybody: readonly Participant[]): Promise<void>;
  /** Everything found wrong so far. */
  violations(): readonly string[];
  /** Output bytes that were checked. */
  readonly checkedBytes: number;
  /** Reloads the page; absent without a page. */
  reload?(): Promise<void>;
}
