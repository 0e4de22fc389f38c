/**
 * A tunnel is a connection that an agent opens to the server with an HTTP/1.1 upgrade. In the tunnel, the server is an
 * HTTP/2 client and the agent an HTTP/2 server. Each stream (`CONNECT`) is a connection to the agent's own API, on
 * which the server sends HTTP/1.1 requests.
 */
export const tunnelProtocol = 'flotilla-tunnel';

/**
 * The WebSocket subprotocol of a tunnel, for networks that only let WebSockets pass. The binary messages are parts of
 * the tunnel's byte stream.
 */
export const tunnelSubprotocol = 'v1.tunnel.flotilla';

/**
 * The number of bytes that a stream may have in flight. It limits a single stream to 10 MB/s on a connection with a round
 * trip time of 100 ms. Node.js does not limit the sum of all streams, so an unread stream does not delay others.
 */
export const streamWindowBytes = 1024 * 1024;

/** The maximum number of concurrent streams. Each watch and each `kubectl exec` needs one. */
export const maxStreams = 8_192;

/**
 * The maximum memory of an HTTP/2 session in megabytes. Node.js refuses further streams when a session exceeds this
 * limit.
 */
export const maxSessionMegabytes = 512;
