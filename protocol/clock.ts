/**
 * The clock interface. Everything that waits takes a `Clock`, so that tests control time and this folder compiles
 * without `setTimeout`.
 */

/** Cancels a task. Calling it twice, or after the task has run, does nothing. */
export type Cancel = () => void;

export interface Clock {
  /** Milliseconds since an arbitrary moment; never goes back. Only differences are meaningful. */
  now(): number;
  /** Runs `task` once, after `ms`. */
  after(ms: number, task: () => void): Cancel;
}
