/** One line of the table. */
export const say = (what: string, figure: string): void => console.log(`${what.padEnd(64)} ${figure}`);

/** Ignores the events of these screens. */
export const SILENT = {
  answer() {},
  report() {},
  title() {},
  progress() {},
  cwd() {},
  bell() {},
  full() {},
  rebuilt() {},
};

export const MB = 1e6;
