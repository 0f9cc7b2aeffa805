/** The right to look after one's own credentials for connections, which every member has. */

/** As grants name it, `self:connection_auth`. */
export const CONNECTION_AUTH = 'connection_auth';
