//! The gateway: the edge between publishers and the fleet.
