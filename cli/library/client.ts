/**
 * `holdfast/client`: the client library. It offers one connection to a workspace, and sessions on your own screens; see
 * docs/client.md.
 */

export type { AttachedSession, AttachOptions } from '../../client/attached-session.ts';
export type { ClientChange, SessionChange } from '../../client/client-change.ts';
export type {
  AwaitedSession,
  RunOptions,
  TypeTextOptions,
} from '../../client/requests/assistant-requests.ts';
export { NoAnswer } from '../../client/requests/requests.ts';
export type { Screen } from '../../client/screen.ts';
export type { SessionState, Unseen } from '../../client/session-state.ts';
export {
  type ClientOptions,
  type ClientState,
  type CreateOptions,
  type Statistics,
  type TakenSnapshot,
  WorkspaceClient,
} from '../../client/workspace-client.ts';
export type { Cancel, Clock } from '../../protocol/clock.ts';
export type { Dial, Socket, SocketEvents } from '../../protocol/connection.ts';
export { type ErrorCode, Refusal } from '../../protocol/errors.ts';
export type { Size } from '../../protocol/frame.ts';
export type { Attention } from '../../protocol/messages/attention.ts';
export type { SessionDigest } from '../../protocol/messages/digest.ts';
export type { KeyboardHolder } from '../../protocol/messages/keyboard-holder.ts';
export type { Layout } from '../../protocol/messages/message-parts.ts';
export type { RunState } from '../../protocol/messages/run-state.ts';
export type { AgentPresence } from '../../protocol/messages/server-message.ts';
export type { SessionInfo } from '../../protocol/messages/session-info.ts';
