/** What a token allows. The glossary in README.md says what each role may do. */
import * as v from 'valibot';

export const roleSchema = v.picklist(['agent', 'operator', 'viewer']);
export type Role = v.InferOutput<typeof roleSchema>;

/** The roles of people. */
export const clientRoleSchema = v.picklist(['operator', 'viewer']);
export type ClientRole = v.InferOutput<typeof clientRoleSchema>;
