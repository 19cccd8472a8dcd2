/** The terminal's look, read from tokens.css so that every colour has one home. */

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

export interface TerminalLook {
  readonly fontFamily: string;
  readonly fontSize: number;
  readonly theme: Readonly<Record<string, string>>;
}

export function terminalLook(): TerminalLook {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const theme: Record<string, string> = {
    background: token('terminal-background'),
    foreground: token('terminal-foreground'),
    cursor: token('terminal-cursor'),
    cursorAccent: token('terminal-background'),
    selectionBackground: token('terminal-selection'),
  };
  for (const colour of COLOURS) {
    theme[colour] = token(`ansi-${colour}`);
    theme[`bright${colour.charAt(0).toUpperCase()}${colour.slice(1)}`] = token(`ansi-bright-${colour}`);
  }
  return { fontFamily: token('font-mono'), fontSize: Number.parseFloat(token('terminal-font-size')), theme };
}

/** Calls `changed` when the system turns dark or light, or the window narrow or wide. */
export function onLookChange(changed: () => void): () => void {
  const listening = new AbortController();
  for (const query of ['(prefers-color-scheme: dark)', '(max-width: 480px)']) {
    matchMedia(query).addEventListener('change', changed, { signal: listening.signal });
  }
  return () => listening.abort();
}
