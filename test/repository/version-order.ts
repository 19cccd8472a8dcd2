/** Enough of semver to check for a minimum version: numbers by value, and a pre-release before its release. */

export function atLeast(version: string, minimum: string): boolean {
  return compare(version, minimum) >= 0;
}

function compare(left: string, right: string): number {
  const [leftNumbers, leftPre] = split(left);
  const [rightNumbers, rightPre] = split(right);
  const byNumber = compareParts(leftNumbers, rightNumbers);
  if (byNumber !== 0) return byNumber;
  if (leftPre.length === 0 || rightPre.length === 0) return rightPre.length - leftPre.length;
  return compareParts(leftPre, rightPre);
}

/** '1.2.0-beta.15' is [1, 2, 0] and [beta, 15]. */
function split(version: string): [numbers: string[], pre: string[]] {
  const [numbers = '', ...pre] = version.split('-');
  return [numbers.split('.'), pre.length === 0 ? [] : pre.join('-').split('.')];
}

function compareParts(left: readonly string[], right: readonly string[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [a = '', b = ''] = [left[index], right[index]];
    const order = /^\d+$/.test(a) && /^\d+$/.test(b) ? Number(a) - Number(b) : Number(a > b) - Number(a < b);
    if (order !== 0) return order;
  }
  return 0;
}
