/**
 * Time as a parameter. Everything that waits takes a `Clock`, so tests move time by hand and this
 * folder compiles without `setTimeout`.
 */

/** Stops what it was given for. Calling it twice, or after the fact, does nothing. */
export type Cancel = () => void;

export interface Clock {
  /** Milliseconds since an arbitrary moment; never goes back. Only differences mean anything. */
  now(): number;
  /** Runs `task` once, `ms` from now. */
  after(ms: number, task: () => void): Cancel;
}
