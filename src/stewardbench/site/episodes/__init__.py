"""The episode explorer's data: records in, an index and compressed details out, one episode at a time."""
