/** The result of one measurement. */
import type { Chart } from './chart.ts';
import type { Ratios } from './ratios.ts';

export interface Goal {
  readonly what: string;
  readonly goal: string;
  readonly figure: string;
  readonly isMet: boolean;
}

export interface Section {
  readonly title: string;
  /** How it was measured, in a sentence or two. */
  readonly how: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly charts?: readonly Chart[];
  /** Figures that are compared between runs, and with goals. */
  readonly ratios?: Partial<Ratios>;
  /** Other goals. */
  readonly goals?: readonly Goal[];
  /** The samples of the figures, for `--json`. */
  readonly samples: unknown;
}
