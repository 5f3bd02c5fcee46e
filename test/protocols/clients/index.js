'use strict'

/**
 * The clients that ask, by name.
 * @typedef {object} Protocol
 * @property {string} server which server is asked
 * @property {string} kind of the dependency, as the report names it
 * @property {string[]} [names] of its two questions; none: it cannot be read
 * @property {string} type of the event that an answer is
 * @property {{ new: (place: any) => any, kept: (place: any) => any, pooled: (place: any) => any }} open a connection, or a pool; it may be asked at once
 * @property {((connection: any, marker: string) => Promise<any>)[]} ask two questions
 * @property {(connection: any) => any} close
 * @property {boolean} [oneConnection] also what is pooled is one connection
 * @property {boolean} [streams] its answers come in streams, and not in order
 * @property {boolean} [keptClient] the client makes new connections itself, and is kept
 * @property {boolean} [datagrams]
 */

/** @type {Record<string, Protocol>} */
const PROTOCOLS = { ...require('./http'), ...require('./http2'), ...require('./databases'), ...require('./dns') }

module.exports = { PROTOCOLS }
