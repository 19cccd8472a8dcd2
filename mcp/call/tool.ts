/** What a tool is: its names, its schemas, who may use it, and what it does. */
import type * as v from 'valibot';
import type { Cancellation, ToolHost } from './tool-host.ts';

/** One call of a tool. */
export interface ToolCall {
  readonly host: ToolHost;
  /** The name of the assistant that calls, if it has told one. */
  readonly actor: string | undefined;
  /** Under which id it has the keyboard, if its connection does not stand for it. */
  readonly holder: string | undefined;
  readonly cancelled: Cancellation;
}

/** What a tool answers: facts for programs, and the same as text for a model. */
export interface ToolAnswer<F = Readonly<Record<string, unknown>>> {
  readonly facts: F;
  readonly text: string;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For a model. */
  readonly description: string;
  readonly input: v.GenericSchema;
  readonly output: v.GenericSchema;
  /** Whether it only reads, so that viewers may use it too. */
  readonly isReading: boolean;
  /** Whether repeating a call with the same arguments changes nothing more. */
  readonly isIdempotent: boolean;
  /** Whether it may end programs. */
  readonly isDestructive: boolean;
  /** Whether it may wait for long, for `timeoutMs`. */
  readonly isPatient: boolean;
  call(input: never, call: ToolCall): Promise<ToolAnswer>;
}

type Described = Pick<Tool, 'name' | 'title' | 'description'> &
  Partial<Pick<Tool, 'isReading' | 'isIdempotent' | 'isDestructive' | 'isPatient'>>;

interface Typed<I extends v.GenericSchema, O extends v.GenericSchema> extends Described {
  readonly input: I;
  readonly output: O;
  call(input: v.InferOutput<I>, call: ToolCall): Promise<ToolAnswer<v.InferInput<O>>>;
}

/** Checks at compile time that a tool takes and answers what its schemas say. */
export function tool<I extends v.GenericSchema, O extends v.GenericSchema>(typed: Typed<I, O>): Tool {
  const usual = { isReading: false, isIdempotent: false, isDestructive: false, isPatient: false };
  return { ...usual, ...typed } as Tool;
}
