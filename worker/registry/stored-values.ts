/**
 * Reads columns of the registry that any version of the relay may have written. A value that cannot be read counts as
 * absent.
 */

export function parseJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

export const isoTime = (ms: number): string => new Date(ms).toISOString();

export const timeOf = (value: unknown): string | null =>
  typeof value === 'string' && Number.isFinite(Date.parse(value)) ? isoTime(Date.parse(value)) : null;

/** A time stored as a number; null for none, and for values that none of our versions wrote. */
export const momentOf = (value: unknown): string | null =>
  typeof value === 'number' && Math.abs(value) <= 8.64e15 ? isoTime(value) : null;

export const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
