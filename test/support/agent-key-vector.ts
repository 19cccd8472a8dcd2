/**
 * The test vector of protocol/README.md: the keys of RFC 7748 §6.1, with results not computed by either side's code.
 */
export const VECTOR = {
  workspace: 'build-7',
  agentSecret: 'dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo',
  agentKey: 'hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo',
  relaySecret: 'XasIfmJKikt54X-Lg4AO5m87sSkmGLb9HC-LJ_-I4Os',
  relayKey: '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08',
  nonce: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
  mac: 'zWZuKyi46AWhg5Cq8yD5JAgbka2PCY_rWLJi8KSkXnI',
  fingerprint: 'SHA256:MAyclgO5Kks57TlYv5JAEUgE20/TcwEsDKR0MtY0Ja4',
} as const;

/** Points of low order: multiplied with any key they give a shared secret of zero, which everybody knows. */
export const LOW_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].map((hex) => Buffer.from(hex, 'hex').toString('base64url'));
