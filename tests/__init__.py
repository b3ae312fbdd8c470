"""The tests are a package: another library may bring one of the same name."""
