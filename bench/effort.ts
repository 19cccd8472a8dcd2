/** How much is measured: everything, or what a few minutes allow. */

export interface Effort {
  /** Alternating rounds of the contenders. */
  readonly rounds: number;
  readonly throughputMebibytes: number;
  readonly sustainedMebibytes: number;
  readonly unattendedMebibytes: number;
  readonly distantMebibytes: number;
  readonly echoKeys: number;
  readonly idleSessions: readonly number[];
  readonly memorySessions: readonly number[];
  /** Of those, how many print 10 MB each at most. */
  readonly printingSessionsMax: number;
  /** Output of an hour in a page, at 100 kB a second. */
  readonly pageHourMegabytes: number;
}

export const FULL: Effort = {
  rounds: 7,
  throughputMebibytes: 64,
  sustainedMebibytes: 256,
  unattendedMebibytes: 1024,
  distantMebibytes: 64,
  echoKeys: 200,
  idleSessions: [1, 10, 50, 200, 500],
  memorySessions: [1, 10, 50, 500],
  printingSessionsMax: 500,
  pageHourMegabytes: 360,
};

export const QUICK: Effort = {
  rounds: 3,
  throughputMebibytes: 64,
  sustainedMebibytes: 64,
  unattendedMebibytes: 256,
  distantMebibytes: 32,
  echoKeys: 100,
  idleSessions: [1, 200],
  memorySessions: [1, 10, 50],
  printingSessionsMax: 10,
  pageHourMegabytes: 36,
};

/** Its figures mean nothing; it shows that the measurements themselves work. */
export const SMOKE: Effort = {
  rounds: 1,
  throughputMebibytes: 4,
  sustainedMebibytes: 4,
  unattendedMebibytes: 8,
  distantMebibytes: 2,
  echoKeys: 10,
  idleSessions: [1, 5],
  memorySessions: [1],
  printingSessionsMax: 1,
  pageHourMegabytes: 2,
};
