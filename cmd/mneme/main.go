// Command mneme is the one binary of the product: server, importers, maintenance and tools.
package main

func main() {}
