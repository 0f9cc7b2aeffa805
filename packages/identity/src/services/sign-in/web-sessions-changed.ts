/** The topic of every session of the console that comes or ends; the payload is the user whose it is. */
export const WEB_SESSIONS_CHANGED = 'identity.web-sessions';
