/** What a caller may add to a shell's environment: anything but what would load code into every program. */
import { Refusal } from '../protocol/errors.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** The loader's, Node's and the shells' own hooks: variables that run a file of the caller's choosing. */
const HOOKS = /^(LD_.*|DYLD_.*|NODE_OPTIONS|BASH_ENV|ENV)$/;

export function sessionEnvironment(
  base: Readonly<Record<string, string>>,
  added: Readonly<Record<string, string>> = {},
): Record<string, string> {
  for (const [name, value] of Object.entries(added)) {
    if (!NAME.test(name))
      throw new Refusal(
        'bad_request',
        `The environment has no room for a variable named ${JSON.stringify(name)}.`,
      );
    if (HOOKS.test(name))
      throw new Refusal('bad_request', `The variable ${name} may not be set: it runs code in every program.`);
    if (value.includes('\0'))
      throw new Refusal('bad_request', `The value of ${name} has a NUL character in it.`);
  }
  return { ...base, ...added };
}
