/** Turns the JSON log lines of the relay and the agent into text for the terminal. */

export type Fields = Readonly<Record<string, unknown>>;

/** Null for a line that is not JSON. */
export function fieldsOf(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}

/** Null unless the line is a warning or an error. A line that is not JSON is returned as it is. */
export function readableLine(part: string, line: string): string | null {
  const fields = fieldsOf(line);
  if (fields === null) return line;
  return fields.level === 'warn' || fields.level === 'error' ? `${part}: ${described(fields)}` : null;
}

function described({ time: _time, level: _level, event, ...details }: Fields): string {
  const values = Object.entries(details).map(([name, value]) => `${name}=${value}`);
  return [String(event).replaceAll('_', ' '), ...values].join(' ');
}
