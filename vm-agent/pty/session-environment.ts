/** Checks what a caller adds to a session's environment: a limited number of variables, none of which runs code. */
import { Refusal } from '../../protocol/errors.ts';
import { ENV_NAME_MAX_CHARS, ENV_VARIABLES_MAX } from '../../protocol/limits.ts';
import { isHook } from './environment-hooks.ts';

/** The agent's own: by it a script of ours learns a session's nonce. No caller sets it, and it is never stored. */
export const MARKS_VARIABLE = 'HOLDFAST_MARKS';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

type Variables = Readonly<Record<string, string>>;

export function sessionEnvironment(base: Variables, added: Variables = {}): Record<string, string> {
  // A revived session brings its whole environment, most of which is in `base` anyway.
  const variables = Object.entries(added).filter(([name, value]) => base[name] !== value);
  if (variables.length > ENV_VARIABLES_MAX) {
    throw new Refusal(
      'bad_request',
      `A session accepts up to ${ENV_VARIABLES_MAX} variables, not ${variables.length}. Set the rest in the shell.`,
    );
  }
  for (const [name, value] of variables) check(name, value);
  return { ...base, ...added };
}

/** The part of an environment accepted by another version that this version accepts too. */
export function acceptable(variables: Variables): Record<string, string> {
  const kept = Object.entries(variables).filter(
    ([name, value]) => NAME.test(name) && name !== MARKS_VARIABLE && !isHook(name, value),
  );
  return Object.fromEntries(kept);
}

function check(name: string, value: string): void {
  if (name.length > ENV_NAME_MAX_CHARS)
    throw new Refusal('bad_request', `The name of a variable has at most ${ENV_NAME_MAX_CHARS} characters.`);
  if (!NAME.test(name))
    throw new Refusal(
      'bad_request',
      `${JSON.stringify(name)} is not a valid name for an environment variable.`,
    );
  if (isHook(name, value))
    throw new Refusal(
      'bad_request',
      `The variable ${name} may not be set this way: it runs or loads code. Set it in the shell.`,
    );
  if (name === MARKS_VARIABLE)
    throw new Refusal('bad_request', `The variable ${name} may not be set: the agent uses it itself.`);
  if (value.includes('\0'))
    throw new Refusal('bad_request', `The value of ${name} contains a NUL character.`);
}
