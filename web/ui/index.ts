/** The components that other pages can embed; see docs/client.md. */
export { ConnectionOverlay } from './components/connection-overlay.tsx';
export { MultiTerminal, type MultiTerminalProps } from './multi-terminal.tsx';
export {
  type TerminalSessions,
  type TerminalSessionsOptions,
  useTerminalSessions,
} from './use-terminal-sessions.ts';
